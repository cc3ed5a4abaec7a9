import { seededRandom } from '@hilltop/simulator';
import type { Case, Row } from '../case.ts';
import { runDeliveryOutage } from '../faults/delivery-outage.ts';
import { type OutageResult, runOutage } from '../faults/outage.ts';
import { promiseRow } from '../faults/promise.ts';
import { type StorageKind, storages } from '../faults/storage.ts';
import { busy } from '../faults/traffic.ts';

type Outage = { kind: StorageKind; seconds: number };

const short: Outage[] = [
  { kind: 'PostgreSQL stopped', seconds: 3 },
  { kind: 'PostgreSQL frozen', seconds: 10 },
  { kind: 'disk full', seconds: 10 },
];
const long: Outage[] = [
  ...[3, 10, 30, 95, 300].map((seconds) => ({ kind: 'PostgreSQL stopped', seconds }) as const),
  ...[10, 95].map((seconds) => ({ kind: 'PostgreSQL frozen', seconds }) as const),
  ...[3, 30, 95, 300].map((seconds) => ({ kind: 'disk full', seconds }) as const),
];

/** The storage becomes unavailable under load and comes back. */
export const outages: Case = async ({ quick, settings, say }) => {
  const rows: Row[] = [];
  const measured: (Outage & OutageResult)[] = [];
  for (const outage of quick ? short : long) {
    const { kind, seconds } = outage;
    const result = await runOutage(
      { storage: await storages[kind](), seconds },
      {
        settings,
        random: seededRandom(seconds),
        devices: 100,
        perSecond: 40,
        habits: busy,
        aroundMs: 5000,
        patienceMs: 65_000,
      },
    );
    const { acknowledged, lost, doubled, outOfOrder, shownOutOfOrder, belated } = result;
    const { lateSeconds, counterReuse, healthAsked, healthWell } = result;
    const row = promiseRow(`${kind} for ${seconds} s, of ${acknowledged} acknowledged uplinks`, [
      { name: 'lost', found: lost, most: 0 },
      { name: 'doubled', found: doubled, most: 0 },
      { name: 'out of order', found: outOfOrder + shownOutOfOrder + belated, most: 0 },
      { name: 's late', found: lateSeconds, most: 2 },
      { name: 'counters with two contents', found: counterReuse, most: 0 },
      { name: 'times well at /health', found: healthWell, most: 0, behind: ` of ${healthAsked}` },
    ]);
    say(`${row.work}: ${row.ours}`);
    rows.push(row);
    measured.push({ ...outage, ...result });
  }
  const seconds = quick ? 10 : 120;
  const storage = await storages['PostgreSQL stopped']();
  const result = await runDeliveryOutage({ storage, seconds }, settings);
  const { events, lost, unordered, twice, unheard, receivedTwice } = result;
  const row = promiseRow(`PostgreSQL stopped for ${seconds} s, deliveries of ${events} events`, [
    { name: 'lost', found: lost, most: 0 },
    { name: 'out of order', found: unordered, most: 0 },
    { name: 'twice', found: twice, most: 0 },
    { name: 'unheard by MQTT', found: unheard, most: 0 },
    { name: 'heard twice', found: receivedTwice, most: 0 },
  ]);
  say(`${row.work}: ${row.ours}`);
  rows.push(row);
  return { rows, measured: { outages: measured, deliveries: result } };
};
