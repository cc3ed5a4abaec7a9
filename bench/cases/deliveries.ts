import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, Case, Row } from '../case.ts';
import { countsOf, distributeDevices, latencyOf, openDeliveryField as openField } from '../driver/delivery-field.ts';
import { settled } from '../driver/pace.ts';
import { openSink, type Sink } from '../driver/sink.ts';

/** Uplinks of a fleet at given rates, from the datagram to the endpoint of an HTTP integration. */
export const deliveries: Case = async (bench) => {
  const rows: Row[] = [];
  const measured: Record<string, unknown> = {};
  for (const part of [rates, many, replay, kills]) {
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

/** Many integrations that send at the same time. */
async function many(bench: Bench): Promise<[Row, unknown]> {
  const [count, seconds] = bench.quick ? [20, 5] : [100, 10];
  const perSecond = count * 20;
  await using field = await openField(bench.settings, count * 10);
  await using stack = new AsyncDisposableStack();
  const sinks: Sink[] = [];
  for (let one = 0; one < count; one += 1) sinks.push(stack.use(await openSink()));
  await distributeDevices(
    field,
    sinks.map(({ url }) => url),
  );
  const arrived = () => sinks.reduce((sum, sink) => sum + sink.arrived.size, 0);
  await field.send(perSecond, 3);
  await settled(perSecond * 3, arrived);
  for (const sink of sinks) sink.arrived.clear();
  field.sentAt.clear();
  await field.send(perSecond, seconds);
  await settled(perSecond * seconds, arrived, 10_000);
  const all = latencyOf(field, sinks);
  const each = sinks.map((sink) => latencyOf(field, [sink]).p95).sort((one, other) => one - other);
  const [best, worst] = [each[0]!, each.at(-1)!];
  const ours = `${arrived()} of ${perSecond * seconds} at ${perSecond}/s, p99 +${all.p99} ms, p95 +${best} to +${worst} ms`;
  const work = `${count} HTTP integrations, 20 events/s each`;
  return [
    { work, before: '–', target: '2,000/s, p99 100 ms, worst twice the best', ours },
    { all, each },
  ];
}

/** Replays events while new ones arrive. */
async function replay(bench: Bench): Promise<[Row, unknown]> {
  await using field = await openField(bench.settings, 1000);
  const [past, perSecond] = bench.quick ? [20_000, 200] : [60_000, 500];
  await field.send(2000, past / 2000);
  await settled(past, () => field.sink.arrived.size, 20_000);
  const live = async (seconds: number) => {
    field.sentAt.clear();
    await field.send(perSecond, seconds);
    await delay(1000);
    return latencyOf(field);
  };
  const alone = await live(10);
  const { delivery } = field.server.client;
  const chosen = { applicationID: field.applicationID, kind: 'HTTP' };
  const always = { from: '2000-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
  const began = performance.now();
  await delivery.startReplay({ ...chosen, ...always });
  const beside = await live(10);
  const now = async () => (await delivery.listReplays(chosen)).result[0]!;
  let { state, sent, events } = await now();
  const rate = Math.round((sent / (performance.now() - began)) * 1000);
  for (; state === 'RUNNING'; { state, sent, events } = await now()) await delay(500);
  const more = Math.round((beside.p99 - alone.p99) * 10) / 10;
  const ours = `${rate}/s, live p99 +${more} ms, ${sent} of ${events}`;
  const work = `replay of ${events} events beside ${perSecond}/s`;
  const isBroken = sent !== events;
  return [
    { work, before: '–', target: '2,000/s, live +20 ms', ours, isBroken },
    { rate, alone, beside, sent, events },
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
