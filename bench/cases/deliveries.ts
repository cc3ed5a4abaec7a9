import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, Case, Row } from '../case.ts';
import { countsOf, latencyOf, openDeliveryField as openField } from '../driver/delivery-field.ts';
import { settled } from '../driver/pace.ts';
import { residentMB } from '../driver/process-use.ts';

/** Uplinks of a fleet, as fast as asked, from the datagram to the server of an HTTP integration. */
export const deliveries: Case = async (bench) => {
  const rows: Row[] = [];
  const measured: Record<string, unknown> = {};
  for (const part of [rates, dead, silent, kills]) {
    const [row, figures] = await part(bench);
    bench.say(`${row.work}: ${row.ours}`);
    rows.push(row);
    measured[part.name] = figures;
  }
  return { rows, measured };
};

async function rates(bench: Bench): Promise<[Row, unknown]> {
  await using field = await openField(bench.settings, bench.quick ? 500 : 1000);
  const ladder = [];
  for (const perSecond of bench.quick ? [200, 1000] : [200, 1000, 2000, 3000]) {
    const before = field.sink.arrived.size;
    field.sentAt.clear();
    const seconds = bench.quick ? 5 : 10;
    await field.send(perSecond, seconds);
    const atEnd = perSecond * seconds - (field.sink.arrived.size - before);
    await settled(before + perSecond * seconds, () => field.sink.arrived.size, 10_000);
    const latency = latencyOf(field);
    const step = { perSecond, arrived: field.sink.arrived.size - before, waitingAtEnd: atEnd, latency };
    ladder.push(step);
    bench.say(JSON.stringify(step));
    if (step.arrived < perSecond * seconds || latency.p99 > 1000) break;
  }
  const best = ladder.findLast(({ latency }) => latency.p99 <= 1000);
  const ours = best ? `${best.perSecond}/s, p50 / p99 +${best.latency.p50} / +${best.latency.p99} ms` : 'none';
  return [{ work: 'uplink to HTTP endpoint without growing backlog', before: '–', target: '3,000/s', ours }, ladder];
}

async function dead(bench: Bench): Promise<[Row, unknown]> {
  await using field = await openField(bench.settings, 500);
  field.sink.answer((request) => request.socket.destroy());
  const [perSecond, seconds] = bench.quick ? [200, 20] : [500, 120];
  await field.send(perSecond, seconds);
  await delay(1000);
  field.sink.answer(undefined);
  const returnedAt = performance.now();
  await settled(perSecond * seconds, () => field.sink.arrived.size, 400_000);
  const first = Math.min(...[...field.sink.arrived.values()].map(({ at }) => at));
  const rate = Math.round((field.sink.arrived.size / (performance.now() - first)) * 1000);
  const counts = countsOf(field);
  const figures = {
    ...counts,
    perSecond,
    seconds,
    catchUpPerSecond: rate,
    firstAfterMs: Math.round(first - returnedAt),
  };
  const ours = `${counts.lost} lost, ${counts.unordered} out of order, then ${rate}/s`;
  const work = `an endpoint that is away for ${seconds} s at ${perSecond}/s`;
  const isBroken = counts.lost > 0 || counts.unordered > 0;
  return [{ work, before: 'all lost', target: '0 lost, then 2,500/s', ours, isBroken }, figures];
}

async function silent(bench: Bench): Promise<[Row, unknown]> {
  await using field = await openField(bench.settings, 500);
  await field.send(100, 3);
  await settled(300, () => field.sink.arrived.size);
  const pid = field.server.hilltop.pid();
  const before = residentMB(pid);
  field.sink.answer(() => undefined);
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, field.sink.open());
  }, 50);
  await field.send(bench.quick ? 200 : 500, bench.quick ? 30 : 70);
  clearInterval(watch);
  const [inFlight, grown] = [field.sink.open(), residentMB(pid) - before];
  const ours = `${most} at most, ${inFlight} at the end, RSS +${grown} MB`;
  const target = '32, then 4 at most, +20 MB';
  const work = 'requests under way at an endpoint that is silent';
  return [
    { work, before: '802, +63 MB', target, ours, isBroken: most > 32 || inFlight > 4 },
    { most, inFlight, grown },
  ];
}

async function kills(bench: Bench): Promise<[Row, unknown]> {
  await using field = await openField(bench.settings, 500);
  const times = bench.quick ? 3 : 20;
  for (let kill = 0; kill < times; kill += 1) {
    await field.send(500, 2);
    await delay(Math.random() * 300);
    await field.server.hilltop.stop('SIGKILL');
    await field.server.hilltop.start();
    await delay(1000);
  }
  await field.send(200, 1);
  await delay(15_000);
  const { unordered, twice } = countsOf(field);
  const chosen = { applicationID: field.applicationID, kind: 'HTTP' };
  const always = { from: '2000-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', countOnly: true };
  const { events } = await field.server.client.delivery.startReplay({ ...chosen, ...always });
  const lost = events - field.sink.arrived.size;
  const perKill = Math.round(twice / times);
  const ours = `${lost} lost of ${events}, ${unordered} out of order, ${perKill} twice per kill`;
  const isBroken = lost !== 0 || unordered > 0 || perKill > 250;
  const work = `kill -9 ${times} times at 500/s`;
  return [
    { work, before: '–', target: '0 lost, 250 twice', ours, isBroken },
    { lost, unordered, twice, events, times },
  ];
}
