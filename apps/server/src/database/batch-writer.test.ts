import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BatchWriter } from './batch-writer.ts';
import type { DatabaseEngine, EngineSavepoint, EngineTransaction } from './engine.ts';
import type { CommitJob } from './group-commit.ts';
import { Transactions } from './transactions.ts';

/** A writer whose engine notes what it does. */
function writerWithSteps() {
  const steps: string[] = [];
  const note = (step: string) => async () => void steps.push(step);
  const savepoint = { release: note('release'), rollback: note('rollback to') } as unknown as EngineSavepoint;
  const transaction = {
    savepoint: () => {
      steps.push('savepoint');
      return savepoint;
    },
    isOpen: () => true,
    commit: note('commit'),
    rollback: note('rollback'),
  } as unknown as EngineTransaction;
  const engine = { begin: async () => transaction } as unknown as DatabaseEngine;
  const transactions = new Transactions(engine, assert.ifError);
  const options = { isPipelined: false, writePrepared: undefined, onBatchSplit: () => undefined };
  const writer = new BatchWriter(transactions, options);
  const stepsOf = async (jobs: CommitJob[]) => {
    steps.length = 0;
    await writer.inTurn(jobs);
    return [...steps];
  };
  return { stepsOf };
}

const job = (isRepeatable: boolean): CommitJob => ({ unit: { run: async () => true, isRepeatable } });
const failing: CommitJob = { unit: { run: () => Promise.reject(new Error('no')), isRepeatable: true } };
const inSavepoints = (jobs: number) => [
  ...Array.from({ length: jobs }, () => ['savepoint', 'release']).flat(),
  'commit',
];

describe('jobs in turn', () => {
  it('have savepoints if one of them may not run again', async () => {
    const { stepsOf } = writerWithSteps();
    assert.deepEqual(await stepsOf([job(true), job(true)]), ['commit']);
    assert.deepEqual(await stepsOf([job(true), job(false)]), inSavepoints(2));
  });

  it('run again in savepoints when one of them fails, and so do the next 32 batches', async () => {
    const { stepsOf } = writerWithSteps();
    const good = job(true);
    assert.deepEqual(await stepsOf([good, failing]), [
      'rollback',
      ...['savepoint', 'release', 'savepoint', 'rollback to', 'release', 'commit'],
    ]);
    assert.deepEqual(good.answer, { status: 'fulfilled', value: true });
    assert.equal(failing.answer?.status, 'rejected');
    for (let batch = 0; batch < 32; batch++) assert.deepEqual(await stepsOf([job(true)]), inSavepoints(1));
    assert.deepEqual(await stepsOf([job(true), job(true)]), ['commit']);
  });
});
