import { expect, it } from 'vitest';
import { ApiError } from './client.ts';
import { explain } from './explain.ts';

it('shows the text and code of an answer, and the raw message of any other failure', () => {
  expect(explain(new ApiError('There is no device 01.', 5, 404))).toBe('There is no device 01. (code: 5)');
  expect(explain(new TypeError('Failed to fetch'))).toBe('Failed to fetch');
  expect(explain(new Error('The file is empty.'))).toBe('The file is empty.');
});
