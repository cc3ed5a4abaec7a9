import { describe, expect, it } from 'vitest';
import { base64Problem, describeBytes, hexProblem, isHex, toBytes } from './payload.ts';

describe('a payload', () => {
  it('is base64 only when it is complete', () => {
    for (const good of ['', 'AQ==', 'AQI=', 'AQID', ' AQID ']) expect(base64Problem(good)).toBeNull();
    for (const bad of ['0x0102', 'AQ', 'AQI', 'A===', 'AQ==AQ==', '01 02']) expect(base64Problem(bad)).not.toBeNull();
  });

  it('is hexadecimal in whole bytes, with or without separators', () => {
    for (const good of ['01', '0xA1B2', '01 02 03', '01:02', ' a1b2 ']) expect(hexProblem(good)).toBeNull();
    for (const bad of ['0', '012', 'AQID', '0 1', 'xx']) expect(hexProblem(bad)).not.toBeNull();
    expect(isHex('')).toBe(false);
  });

  it('has the same bytes in each format', () => {
    expect(toBytes('hex', '0x01 02-03')).toEqual(Uint8Array.of(1, 2, 3));
    expect(toBytes('base64', 'AQID')).toEqual(Uint8Array.of(1, 2, 3));
    expect(toBytes('hex', '0')).toBeNull();
    expect(toBytes('base64', 'AQ')).toBeNull();
  });

  it('is described by its bytes, cut after sixteen', () => {
    expect(describeBytes(Uint8Array.of(1))).toBe('1 byte: 01');
    expect(describeBytes(Uint8Array.of(1, 255))).toBe('2 bytes: 01 ff');
    expect(describeBytes(new Uint8Array(20))).toMatch(/^20 bytes: (00 ){16}…$/);
    expect(describeBytes(new Uint8Array())).toBe('0 bytes');
  });
});
