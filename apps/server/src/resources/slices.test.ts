import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inSlices } from './slices.ts';

/** Removes 500 rows of `msEach`, and returns the rows of each slice and the pauses in ms. */
async function remove(database: Parameters<typeof inSlices>[0], msEach: number) {
  const [slices, pauses]: [number[], number[]] = [[], []];
  let [left, nowMs] = [500, 0];
  const removeSlice: Parameters<typeof inSlices>[1] = async ({ rows, timed }) => {
    const found = Math.min(rows, left);
    left -= found;
    slices.push(rows);
    // Reading before the transaction delays nobody.
    nowMs += 1000;
    await timed(async () => {
      nowMs += found * msEach;
    });
    return found;
  };
  const pause = async (ms: number) => {
    pauses.push(ms);
  };
  await inSlices(database, removeSlice, { monotonicMs: () => nowMs, pause });
  assert.equal(left, 0);
  return { slices, pauses };
}

const sqlite = { kind: 'sqlite', transactionKey: undefined } as const;

it('slices on SQLite get as large as their time allows, with pauses in proportion', async () => {
  const { slices, pauses } = await remove(sqlite, 0.125);
  assert.deepEqual(slices.slice(0, 3), [10, 20, 20]);
  assert.deepEqual(pauses.slice(0, 3), [3.75, 7.5, 7.5]);
});

it('slow rows get slices of few rows and pauses of limited length', async () => {
  const { slices, pauses } = await remove(sqlite, 2);
  assert.deepEqual(slices.slice(0, 3), [10, 8, 8]);
  assert.deepEqual(new Set(pauses), new Set([10]));
});

it('there are no pauses inside a transaction and on PostgreSQL', async () => {
  for (const database of [{ ...sqlite, transactionKey: {} }, { ...sqlite, kind: 'postgres' } as const]) {
    const { slices, pauses } = await remove(database, 2);
    assert.deepEqual(new Set(slices), new Set([50]));
    assert.deepEqual(pauses, []);
  }
});
