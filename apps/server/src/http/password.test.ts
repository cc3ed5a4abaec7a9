import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiError } from '@hilltop/contract';
import { hashPassword, isPassword } from './password.ts';

describe('password', () => {
  it('is recognised, and no other', async () => {
    const stored = await hashPassword('correct horse');
    assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.equal(await isPassword('correct horse', stored), true);
    assert.equal(await isPassword('correct horsf', stored), false);
    assert.equal(await isPassword('', stored), false);
  });

  it('has a salt of its own', async () => {
    assert.notEqual(await hashPassword('x'), await hashPassword('x'));
  });

  it('never fits a user without one', async () => {
    for (const stored of [null, '', 'PBKDF2$sha512$1$x$y']) assert.equal(await isPassword('', stored), false);
  });

  it('is not looked at when a hundred others wait already', async () => {
    const cheap = `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
    const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => isPassword('x', cheap)));
    const turnedAway = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(turnedAway.length, 98);
    for (const { reason } of turnedAway) assert.equal((reason as ApiError).code, 8);
    assert.equal(await isPassword('x', cheap), false);
  });

  it('waits its turn under load', async () => {
    const stored = await hashPassword('x');
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => isPassword(i % 2 ? 'x' : 'y', stored)));
    assert.deepEqual(answers, [false, true, false, true, false, true]);
  });
});
