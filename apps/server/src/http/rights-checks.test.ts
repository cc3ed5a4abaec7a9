import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRightsChecks } from './rights-checks.ts';

it('checks every stream once in two seconds, in groups', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const rounds = createRightsChecks();
  const looks: number[] = [];
  const remove = Array.from({ length: 45 }, (_, nth) => rounds.add(() => looks.push(nth)));
  const together: number[] = [];
  for (let passed = 0; passed < 2_000; passed += 50) {
    const before = looks.length;
    t.mock.timers.tick(50);
    if (looks.length > before) together.push(looks.length - before);
  }
  assert.deepEqual(
    looks.toSorted((one, other) => one - other),
    remove.map((_, nth) => nth),
  );
  assert.deepEqual([together.length, Math.max(...together)], [10, 5]);

  // A stream waits for its first check no longer than one round.
  t.mock.timers.tick(700);
  looks.length = 0;
  remove.push(rounds.add(() => looks.push(45)));
  t.mock.timers.tick(2_000);
  assert.equal(looks.filter((nth) => nth === 45).length, 1);

  for (const one of remove) one();
  looks.length = 0;
  t.mock.timers.tick(4_000);
  assert.equal(looks.length, 0);
  rounds.add(() => looks.push(0));
  t.mock.timers.tick(2_000);
  assert.deepEqual(looks, [0]);
});
