import { databases } from '../../apps/server/src/testing/databases.ts';
import { killAtEachStep } from '../../apps/server/src/testing/history-kills.ts';
import { startTestApp } from '../../apps/server/src/testing/test-app.ts';
import type { Case } from '../case.ts';
import { promiseRow } from '../faults/promise.ts';

/** Kills processes at each step of sealing and removal. PostgreSQL is the one of `HILLTOP_TEST_POSTGRES_URL`. */
export const historyKills: Case = async ({ quick, say }) => {
  const runs = quick ? 5 : 50;
  const measured: { kind: string; runs: number; broken: string[] }[] = [];
  for (const kind of databases) {
    await using app = await startTestApp(kind);
    const broken: string[] = [];
    for (let run = 1; run <= runs; run += 1) {
      await killAtEachStep(app, 2 - (run % 2)).catch((error: Error) => broken.push(error.message));
      if (run % 10 === 0) say(`${run} kills at each step on ${kind}`);
    }
    measured.push({ kind, runs, broken });
  }
  return {
    rows: measured.map(({ kind, broken }) =>
      promiseRow(`${runs} kills at each step of the history on ${kind}`, [
        { name: 'with lost, doubled or unordered events', found: broken.length, most: 0 },
      ]),
    ),
    measured,
  };
};
