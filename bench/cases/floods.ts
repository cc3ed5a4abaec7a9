import { seededRandom } from '@hilltop/simulator';
import type { Case, Row } from '../case.ts';
import { type FloodResult, runFlood } from '../faults/flood-run.ts';
import { type FloodName, floods as kinds } from '../faults/floods.ts';
import { promiseRow } from '../faults/promise.ts';
import { plain } from '../faults/traffic.ts';

const perSecond = 200;
const mostMemoryMB = 150;
const mostDatabaseMB = 40;

/** Floods from unknown senders during steady uplinks. */
export const floods: Case = async ({ quick, settings, say }) => {
  const rows: Row[] = [];
  const measured: Partial<Record<FloodName, FloodResult>> = {};
  for (const name of Object.keys(kinds) as FloodName[]) {
    const result = await runFlood(name, {
      settings,
      random: seededRandom(1),
      devices: 480,
      perSecond,
      habits: { ...plain, queued: 0.1 },
      share: quick ? 0.3 : 1,
      restMs: quick ? 2000 : 20_000,
      patienceMs: 20_000,
    });
    const { sent, acknowledged, lost, doubled, lateSeconds, flooded, uncounted, believed, displaced } = result;
    const { p50, p99 } = result.acknowledgement;
    const row = promiseRow(`${flooded} ${name}, beside ${sent} uplinks acknowledged after ${p50} ms (p50)`, [
      { name: '% not acknowledged', found: Math.round((1 - acknowledged / sent) * 1000) / 10, most: 1 },
      { name: 'ms to the acknowledgement (p99)', found: p99, most: 1000 },
      { name: 'lost', found: lost, most: 0 },
      { name: 'doubled', found: doubled, most: 0 },
      { name: 's late', found: lateSeconds, most: 2 },
      { name: 'uncounted', found: uncounted, most: 0 },
      { name: 'believed', found: believed, most: 0 },
      { name: 'kept events displaced', found: displaced, most: 0 },
      { name: 'MB memory', found: result.memoryMB, most: mostMemoryMB },
      { name: 'MB database', found: result.databaseMB, most: mostDatabaseMB },
    ]);
    say(`${row.work}: ${row.ours}`);
    rows.push(row);
    measured[name] = result;
  }
  return { rows, measured };
};
