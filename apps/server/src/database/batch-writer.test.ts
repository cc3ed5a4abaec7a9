import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BatchWriter } from './batch-writer.ts';
import type { DatabaseEngine, EngineSavepoint, EngineTransaction } from './engine.ts';
import { type CommitJob, groupCommits } from './group-commit.ts';
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
    if (jobs.length === 1) await writer.aloneInTurn(jobs[0]!);
    else await writer.inTurn(jobs);
    return [...steps];
  };
  /** A job with a part that may fail, which is no failure of the job. */
  const withPart = (part: () => Promise<void>): CommitJob => {
    const run = () =>
      transactions.run(part).then(
        () => true,
        () => true,
      );
    return { unit: { run, isRepeatable: true } };
  };
  return { stepsOf, withPart };
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
    for (let batch = 0; batch < 32; batch++) assert.deepEqual(await stepsOf([good, good]), inSavepoints(2));
    assert.deepEqual(await stepsOf([job(true), job(true)]), ['commit']);
  });

  it('have no savepoints for their parts, unless one of these fails', async () => {
    const { stepsOf, withPart } = writerWithSteps();
    const part = withPart(() => Promise.resolve());
    assert.deepEqual(await stepsOf([part]), ['commit']);
    assert.deepEqual(await stepsOf([part, part]), ['commit']);
    const failingPart = withPart(() => Promise.reject(new Error('no')));
    assert.deepEqual(await stepsOf([failingPart]), ['rollback', 'savepoint', 'rollback to', 'release', 'commit']);
    assert.deepEqual(failingPart.answer, { status: 'fulfilled', value: true });
    assert.deepEqual(await stepsOf([part]), ['savepoint', 'release', 'commit']);
  });
});

describe('prepared units that were written', () => {
  it('are not written again when the transaction of the other units of their batch fails', async () => {
    const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
    const engine = { begin: () => Promise.reject(full) } as unknown as DatabaseEngine;
    let writes = 0;
    const writePrepared = async () => {
      writes += 1;
      return [[]];
    };
    const transactions = new Transactions(engine, assert.ifError);
    const writer = new BatchWriter(transactions, { isPipelined: false, writePrepared, onBatchSplit: () => undefined });
    const together = (jobs: CommitJob[]) => writer.together(jobs, () => undefined);
    const batches = groupCommits({ together, alone: (one) => together([one]) });
    const run = () => transactions.run(async () => true);
    const add = () => batches.add({ run });
    const prepared = { statements: [], onWritten: () => undefined };
    const answers = await Promise.allSettled([batches.add({ run, prepared }), add(), add()]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected'],
    );
    assert.equal(writes, 1);
  });
});
