import { expect, it } from 'vitest';
import { jsonProblem } from './json-object.ts';

it('a downlink accepts only a JSON object', () => {
  expect(jsonProblem('{"led": true}')).toBeNull();
  expect(jsonProblem('')).toBeNull();
  expect(jsonProblem('5')).toMatch(/object/);
  expect(jsonProblem('{led}')).toMatch(/not valid/);
});
