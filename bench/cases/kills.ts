import { seededRandom } from '@hilltop/simulator';
import type { Case } from '../case.ts';
import { runKills } from '../faults/kill-run.ts';
import { promiseRow } from '../faults/promise.ts';
import { busy } from '../faults/traffic.ts';

/** Kills the server at random times while devices send, queue items are added and flushed, and TX_ACKs are lost. */
export const kills: Case = async ({ quick, settings, say }) => {
  const count = quick ? 25 : 200;
  const verdict = await runKills(count, {
    settings,
    random: seededRandom(count),
    devices: 120,
    perSecond: 50,
    habits: busy,
    shortestMs: 300,
    longestMs: 3000,
    patienceMs: 65_000,
    onKill: (kill) => kill % 25 === 0 && say(`${kill} kills`),
  });
  const { acknowledged, lost, doubled, outOfOrder, shownOutOfOrder, belated, forgotten } = verdict;
  const { counters, counterReuse, items, itemsLost } = verdict;
  return {
    rows: [
      promiseRow(`${count} kills, of ${acknowledged} acknowledged uplinks`, [
        { name: 'lost', found: lost, most: 0 },
        { name: 'doubled', found: doubled, most: 0 },
        { name: 'out of order', found: outOfOrder + shownOutOfOrder + belated, most: 0 },
        { name: 'shown and forgotten', found: forgotten, most: 0 },
      ]),
      promiseRow(`${count} kills, of ${counters} downlink counters`, [
        { name: 'with two contents', found: counterReuse, most: 0 },
      ]),
      promiseRow(`${count} kills, of ${items} queued downlinks`, [{ name: 'lost', found: itemsLost, most: 0 }]),
    ],
    measured: verdict,
  };
};
