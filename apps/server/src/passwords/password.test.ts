import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiError } from '@hilltop/contract';
import { hashPassword as hash, isPassword as matches } from './password.ts';

const hashPassword = (password: string) => hash(password, 'user 1');
const isPassword = (password: string, stored: string | null) =>
  matches(password, stored, { kind: 'known', who: 'user 1' });

const cheap = `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

describe('password', () => {
  it('accepts the password and no other', async () => {
    const stored = await hashPassword('correct horse');
    assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.equal(await isPassword('correct horse', stored), true);
    assert.equal(await isPassword('correct horsf', stored), false);
    assert.equal(await isPassword('', stored), false);
  });

  it('gets its own salt', async () => {
    assert.notEqual(await hashPassword('x'), await hashPassword('x'));
  });

  it('never matches for a user without a password', async () => {
    for (const stored of [null, '', 'PBKDF2$sha512$1$x$y']) assert.equal(await isPassword('', stored), false);
  });

  it('is refused when fifty calls of the same caller wait already, or a hundred in all', async () => {
    const flood = (count: number, ofWhom: number) =>
      Promise.allSettled(
        Array.from({ length: count }, (_, i) => matches('x', cheap, { kind: 'unknown', who: `net ${i % ofWhom}` })),
      );
    for (const [outcomes, admitted] of [
      [await flood(200, 1), 51],
      [await flood(200, 200), 101],
    ] as const) {
      const turnedAway = outcomes.filter((outcome) => outcome.status === 'rejected');
      assert.equal(outcomes.length - turnedAway.length, admitted);
      for (const { reason } of turnedAway) assert.equal((reason as ApiError).code, 8);
    }
    assert.equal(await isPassword('x', cheap), false);
  });

  it('is processed in turns by caller, and known callers do not wait for unknown ones', async () => {
    const order: string[] = [];
    const ask = (kind: 'known' | 'unknown', who: string) =>
      matches('x', cheap, { kind, who }).then(() => order.push(who));
    const strangers = Array.from({ length: 40 }, () => ask('unknown', 'flood'));
    const one = ask('unknown', 'one');
    await ask('known', 'owner');
    assert.ok(order.length < 30, order.join());
    await Promise.all([...strangers, one]);
    assert.ok(order.indexOf('one') < order.lastIndexOf('flood') - 30, order.join());
  });

  it('waits its turn under load', async () => {
    const stored = await hashPassword('x');
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => isPassword(i % 2 ? 'x' : 'y', stored)));
    assert.deepEqual(answers, [false, true, false, true, false, true]);
  });
});
