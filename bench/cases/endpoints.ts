import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, Case, Row } from '../case.ts';
import {
  countsOf,
  type DeliveryField,
  openDeliveryField as openField,
  openNeighbour,
} from '../driver/delivery-field.ts';
import { settled } from '../driver/pace.ts';
import { openFiles, residentMB } from '../driver/process-use.ts';
import type { Spread } from '../driver/spread.ts';

/** Endpoints that are away or silent, and what that costs others. */
export const endpoints: Case = async (bench) => {
  const rows: Row[] = [];
  const measured: Record<string, unknown> = {};
  for (const part of [dead, silent]) {
    const [row, figures] = await part(bench);
    bench.say(`${row.work}: ${row.ours}`);
    rows.push(row);
    measured[part.name] = figures;
  }
  return { rows, measured };
};

const slower = (beside: Spread, alone: Spread) => Math.round((beside.p99 - alone.p99) * 10) / 10;

async function dead(bench: Bench): Promise<[Row, unknown]> {
  await using field = await openField(bench.settings, 500);
  await using neighbour = await openNeighbour(field);
  await neighbour.run(3);
  const alone = await neighbour.run(10);
  field.sink.answer((request) => request.socket.destroy());
  const [perSecond, seconds] = bench.quick ? [200, 20] : [500, 120];
  const [, beside] = await Promise.all([field.send(perSecond, seconds), neighbour.run(seconds)]);
  await delay(1000);
  field.sink.answer(undefined);
  const returnedAt = performance.now();
  await settled(perSecond * seconds, () => field.sink.arrived.size, 400_000);
  const first = Math.min(...[...field.sink.arrived.values()].map(({ at }) => at));
  const rate = Math.round((field.sink.arrived.size / (performance.now() - first)) * 1000);
  const counts = countsOf(field);
  const firstAfterMs = Math.round(first - returnedAt);
  const figures = { ...counts, perSecond, seconds, catchUpPerSecond: rate, firstAfterMs, alone, beside };
  const more = slower(beside, alone);
  const ours = `${counts.lost} lost, ${counts.unordered} out of order, neighbour p99 +${more} ms, then ${rate}/s`;
  const work = `an endpoint that is away for ${seconds} s at ${perSecond}/s`;
  const isBroken = counts.lost > 0 || counts.unordered > 0;
  return [{ work, before: 'all lost', target: '0 lost, neighbour +10 ms, then 2,500/s', ours, isBroken }, figures];
}

async function silent(bench: Bench): Promise<[Row, unknown]> {
  await using field = await openField(bench.settings, 500);
  const toBadOne = () => field.sink.answer(() => undefined);
  const work = 'an endpoint that is silent: requests under way';
  return besideTrouble(bench, field, { work, before: '802, +63 MB, 830 files', mostAtEnd: 4, begin: toBadOne });
}

/** What endpoints in trouble cost: requests under way, memory, open files and the time of a neighbour. */
async function besideTrouble(
  bench: Bench,
  field: DeliveryField,
  trouble: { work: string; before: string; mostAtEnd: number; begin: () => unknown },
): Promise<[Row, unknown]> {
  const [perSecond, seconds] = bench.quick ? [200, 30] : [500, 70];
  await using neighbour = await openNeighbour(field);
  await field.send(perSecond, 5);
  const alone = await neighbour.run(10);
  await trouble.begin();
  const pid = field.server.hilltop.pid();
  const [memory, files] = [residentMB(pid), openFiles(pid)];
  let [most, mostFiles] = [0, 0];
  let inFlight = 0;
  const look = async () => {
    inFlight = await underWay(field);
    [most, mostFiles] = [Math.max(most, inFlight), Math.max(mostFiles, openFiles(pid) - files)];
  };
  const watch = setInterval(() => void look(), 500);
  const [, beside] = await Promise.all([field.send(perSecond, seconds), neighbour.run(seconds)]);
  clearInterval(watch);
  await look();
  const grown = residentMB(pid) - memory;
  const more = slower(beside, alone);
  const ours = `${most} at most, ${inFlight} at the end, RSS +${grown} MB, +${mostFiles} files, neighbour p99 +${more} ms`;
  const target = `${trouble.mostAtEnd} at the end, +20 MB, +40 files, neighbour +10 ms`;
  const isBroken = inFlight > trouble.mostAtEnd + 1;
  const figures = { most, inFlight, grown, mostFiles, alone, beside };
  return [{ work: trouble.work, before: trouble.before, target, ours, isBroken }, figures];
}

/** Of all integrations; the neighbour has one now and then, too. */
async function underWay({ server }: DeliveryField): Promise<number> {
  const text = await (await fetch(`${server.hilltop.url}/metrics`)).text();
  return Number(/^hilltop_deliveries_in_flight\{kind="HTTP"\} (\d+)/m.exec(text)?.[1] ?? 0);
}
