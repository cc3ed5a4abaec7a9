import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Case, Outcome } from '../case.ts';
import { createBaseRecords } from '../driver/base-records.ts';
import { createABPFleet } from '../driver/fleet.ts';
import { openGateways } from '../driver/gateways.ts';
import { type MeasuredLoad, measureEvenLoad, measureLoad, rateOf } from '../driver/measured-load.ts';
import { processorSeconds, residentMB } from '../driver/process-use.ts';
import { type BenchServer, startServer } from '../driver/server.ts';
import { startSoakRunner } from '../driver/soak-run.ts';

const devices = 1000;
/** The server seals when so many events wait. */
const eventsOfRound = 200_000;
const perSecond = 1500;
const pagesPerSecond = 1000;
const pageTarget = '1,000/s, p99 20 ms';

/** Pages of a history with ten million events, and what it costs uplinks and memory. */
export const history: Case = async (bench) => {
  if (bench.database !== 'sqlite') throw new Error('This case writes into history.db: it runs on SQLite only.');
  const without = await load({ ...bench, settings: { ...bench.settings, HILLTOP_HISTORY: 'false' } }, 20);
  bench.say(`without: ${without.processor} % of a core, p99 +${without.p99} ms, ${without.memory} MB`);
  await using server = await startServer(bench);
  using sent = await send(server, 20);
  const { fleet, more, use, ...withHistory } = sent;
  bench.say(`with: ${withHistory.processor} % of a core, p99 +${withHistory.p99} ms, ${withHistory.memory} MB`);
  const missing = eventsOfRound - perSecond * 20;
  await more(Math.ceil((missing * 1.1) / perSecond));
  await sealed(server);
  const { memory } = use();
  await server.hilltop.stop();
  const filled = repeatBlocks(join(server.hilltop.data, 'history.db'), bench.quick ? 4 : 48);
  bench.say(`${filled.events.toLocaleString('en')} events, ${filled.bytesPerEvent} bytes each`);
  await server.hilltop.start();
  const span = filled.to - filled.from;
  const pageOf = (turn: number, query = '') => ({
    method: 'GET',
    path: `/api/devices/${fleet.devEUIs[(turn * 7919) % devices]}/history?limit=50${query}`,
  });
  const pages = {
    newest: (turn: number) => [pageOf(turn)],
    anywhere: (turn: number) => [pageOf(turn, `&before=${filled.from + ((turn * 7_919_003) % span)}-0`)],
  };
  const seconds = bench.quick ? 3 : 10;
  const most = (callsOf: typeof pages.newest) => measureLoad(server, { connections: 8, seconds, callsOf });
  const even = (callsOf: typeof pages.newest) =>
    measureEvenLoad(server, { perSecond: pagesPerSecond, seconds, callsOf });
  const newest = { most: await most(pages.newest), even: await even(pages.newest) };
  const anywhere = { most: await most(pages.anywhere), even: await even(pages.anywhere) };
  const rows: Outcome['rows'] = [
    {
      work: `newest 50 events of a device, ${filled.events.toLocaleString('en')} in all`,
      before: 'not available',
      target: pageTarget,
      ours: pageRates(newest),
    },
    { work: 'the same at any time', before: 'not available', target: pageTarget, ours: pageRates(anywhere) },
    {
      work: `processor at ${perSecond} uplinks/s without, with history`,
      before: 'not available',
      target: '+5 %',
      ours: `${without.processor} %, ${withHistory.processor} % of a core`,
    },
    {
      work: 'memory without, with history, after a round of sealing',
      before: 'not available',
      target: '+60 MB',
      ours: `${without.memory}, ${withHistory.memory}, ${memory} MB`,
    },
    {
      work: 'disk per sealed event with one gateway',
      before: 'not available',
      target: '200 bytes with three',
      ours: `${filled.bytesPerEvent} bytes`,
    },
  ];
  return { rows, measured: { without, withHistory, newest, anywhere, filled } };
};

/** At an even rate, and as many as 8 connections get that always wait for an answer. */
const pageRates = ({ most, even }: Record<'most' | 'even', MeasuredLoad>) => `${rateOf(even)}; at most ${rateOf(most)}`;

type Started = Parameters<typeof startServer>[0];

async function load(bench: Started, seconds: number) {
  await using server = await startServer(bench);
  using sent = await send(server, seconds);
  const { processor, p99, memory } = sent;
  return { processor, p99, memory };
}

/** Sends uplinks of a new fleet. `more` goes on with them. */
async function send(server: BenchServer, seconds: number) {
  const ground = await createBaseRecords(server.client);
  const fleet = await createABPFleet(server.client, ground, devices);
  using opened = new DisposableStack();
  const gateways = opened.use(await openGateways(server.hilltop.udpPort, ground.gatewayIDs));
  const runner = opened.use(await startSoakRunner({ server, fleet, gateways, copies: 1 }));
  await runner.run(200, 5);
  const begun = performance.now();
  const before = processorSeconds(server.hilltop.pid());
  const { latency } = await runner.run(perSecond, seconds);
  const processor = Math.round(
    ((processorSeconds(server.hilltop.pid()) - before) * 100_000) / (performance.now() - begun),
  );
  const use = () => ({ memory: residentMB(server.hilltop.pid()) });
  const all = opened.move();
  return {
    fleet,
    processor,
    p99: latency.p99,
    memory: use().memory,
    use,
    more: (rest: number) => runner.run(perSecond, rest),
    [Symbol.dispose]: () => all.dispose(),
  };
}

/** Waits until no round of events waits any more. */
async function sealed({ hilltop }: BenchServer): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${hilltop.url}/metrics`)).text();
    if (Number(/^hilltop_history_events_sealed_total (\d+)/m.exec(metrics)?.[1] ?? 0) >= eventsOfRound) return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** Stores each block so many times, as if its device had sent the same events before. */
function repeatBlocks(file: string, times: number) {
  using database = new DatabaseSync(file);
  database.exec('pragma synchronous = off; begin');
  const { from, to } = database.prepare('select min(from_at) as "from", max(to_at) as "to" from event_block').get() as {
    from: number;
    to: number;
  };
  const span = to - from + 1;
  const blocks = database.prepare('select id from event_block').all() as { id: number }[];
  const read = database.prepare('select bytes from event_block where id = ?');
  const add = database.prepare(`insert into event_block
    (dev_eui, from_at, from_seq, to_at, to_seq, from_pos, to_pos, count, kinds, unpacked, bytes)
    select dev_eui, from_at - $shift, from_seq, to_at - $shift, to_seq, from_pos, to_pos, count, kinds, unpacked, $bytes
    from event_block where id = $id`);
  for (const { id } of blocks) {
    const { bytes } = read.get(id) as { bytes: Uint8Array };
    const text = zstdDecompressSync(bytes).toString('utf8');
    for (let copy = 1; copy < times; copy += 1)
      add.run({ id, shift: copy * span, bytes: zstdCompressSync(shifted(text, copy * span)) });
  }
  database.exec(`update history_state set
    events = (select sum(count) from event_block), bytes = (select sum(length(bytes)) from event_block); commit`);
  const { events, bytes } = database.prepare('select events, bytes from history_state').get() as {
    events: number;
    bytes: number;
  };
  return { events, bytesPerEvent: Math.round(bytes / events), from: from - (times - 1) * span, to };
}

/** Every third line begins with the time of an event. */
const shifted = (text: string, ms: number): string =>
  text
    .split('\n')
    .map((line, at) => (at % 3 === 0 && line !== '' ? line.replace(/^\d+/, (time) => String(Number(time) - ms)) : line))
    .join('\n');
