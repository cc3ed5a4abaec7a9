import assert from 'node:assert/strict';
import { it } from 'node:test';
import { firstScreenBudget, weighConsole } from './console.ts';

it('loads less JavaScript for the sign-in than its budget', () => {
  const { scripts, first } = weighConsole();
  assert.ok(first.size >= 5 && [...first].some((name) => name.startsWith('assets/login-')), 'the sign-in is weighed');
  assert.ok(
    scripts.gzip <= firstScreenBudget,
    `${scripts.gzip} of ${firstScreenBudget} bytes: ${[...first].join(', ')}`,
  );
});
