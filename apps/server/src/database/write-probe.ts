import type { Database } from './database.ts';

const askEveryMs = 1000;
const longestMs = 3000;

/**
 * Checks whether writes reach the disk, at most once a second for all callers. Rejects when they do not: on a full disk
 * reads still succeed.
 */
export function createWriteProbe(database: Database): () => Promise<void> {
  let asked = { at: Number.NEGATIVE_INFINITY, answer: Promise.resolve() };

  async function write(): Promise<void> {
    const run = async () => {
      const row = { subject: 'probe', at: 0, counters: '{}' };
      const { id } = await database.query
        .insertInto('metric_fact')
        .values(row)
        .returning('id')
        .executeTakeFirstOrThrow();
      await database.query.deleteFrom('metric_fact').where('id', '=', id).execute();
      return true;
    };
    await database.commit({ run });
  }

  async function inTime(): Promise<void> {
    const late = AbortSignal.timeout(longestMs);
    const tooLate = new Promise<never>((_resolve, reject) => {
      late.addEventListener('abort', () => reject(new Error('A write takes too long.')), { once: true });
    });
    await Promise.race([write(), tooLate]);
  }

  return () => {
    const now = performance.now();
    if (now - asked.at >= askEveryMs) {
      asked = { at: now, answer: inTime() };
      asked.answer.catch(() => undefined);
    }
    return asked.answer;
  };
}
