import { describe, expect, it } from 'vitest';
import { dataProblem, jsonProblem } from './downlink.ts';

describe('a downlink', () => {
  it('needs bytes or an object', () => {
    expect(dataProblem('', '')).toMatch(/base64/);
    expect(dataProblem('', '{"led":true}')).toBeNull();
    expect(dataProblem('AQI=', '')).toBeNull();
  });

  it('accepts only complete base64', () => {
    for (const good of ['AQ==', 'AQI=', 'AQID', ' AQID ']) expect(dataProblem(good, '')).toBeNull();
    for (const bad of ['0x0102', 'AQ', 'AQI', 'A===', 'AQ==AQ==', '01 02']) expect(dataProblem(bad, '')).not.toBeNull();
  });

  it('accepts only a JSON object', () => {
    expect(jsonProblem('{"led": true}')).toBeNull();
    expect(jsonProblem('')).toBeNull();
    expect(jsonProblem('5')).toMatch(/object/);
    expect(jsonProblem('{led}')).toMatch(/not valid/);
  });
});
