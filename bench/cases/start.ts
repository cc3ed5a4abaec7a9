import { setTimeout as delay } from 'node:timers/promises';
import type { Case } from '../case.ts';
import { residentMB } from '../driver/process-use.ts';
import { startServer } from '../driver/server.ts';
import { timeOfStarts } from '../driver/starts.ts';

const restMs = 5000;

/** Time from the start of the process to the first response, and memory of an idle server. */
export const start: Case = async (bench) => {
  bench.say('starting an empty server');
  await using server = await startServer(bench);
  const starts = await timeOfStarts(server.hilltop, bench.quick ? 3 : 5);
  await delay(restMs);
  const memory = residentMB(server.hilltop.pid());
  return {
    rows: [
      {
        work: 'start to listening, empty',
        before: '2.3 s',
        target: '1 s',
        ours: `${(starts.p50 / 1000).toFixed(2)} s`,
      },
      { work: 'memory idle', before: '110 MB + PostgreSQL + Redis', target: '120 MB', ours: `${memory} MB` },
    ],
    measured: { starts, memory },
  };
};
