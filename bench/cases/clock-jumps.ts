import { seededRandom } from '@hilltop/simulator';
import type { Case, Row } from '../case.ts';
import { type JumpResult, runJump } from '../faults/jump-run.ts';
import { promiseRow } from '../faults/promise.ts';
import { busy } from '../faults/traffic.ts';

const dayMs = 86_400_000;
const jumps: Record<string, number> = {
  'three years ahead': 3 * 365 * dayMs,
  'two hours ahead': dayMs / 12,
  'a day back': -dayMs,
};
/** Statistics are aggregated, and old ones removed, twice in this time. */
const eachMs = 32_000;

/** Shifts the wall clock of the server under load, and back. */
export const clockJumps: Case = async ({ quick, settings, say }) => {
  const rows: Row[] = [];
  const measured: Record<string, JumpResult> = {};
  for (const [name, ms] of Object.entries(jumps).slice(0, quick ? 1 : undefined)) {
    const result = await runJump(ms, {
      settings,
      random: seededRandom(1),
      devices: 50,
      perSecond: 20,
      habits: busy,
      eachMs,
      patienceMs: 65_000,
    });
    const { acknowledged, lost, doubled, outOfOrder, shownOutOfOrder, belated } = result;
    const { counterReuse, statisticsLost } = result;
    const row = promiseRow(`clock ${name} and back, of ${acknowledged} acknowledged uplinks`, [
      { name: 'lost', found: lost, most: 0 },
      { name: 'doubled', found: doubled, most: 0 },
      { name: 'out of order', found: outOfOrder + shownOutOfOrder + belated, most: 0 },
      { name: 'gone from the statistics', found: statisticsLost, most: 0 },
      { name: 'counters with two contents', found: counterReuse, most: 0 },
    ]);
    say(`${row.work}: ${row.ours}`);
    rows.push(row);
    measured[name] = result;
  }
  return { rows, measured };
};
