/** Several instances on one PostgreSQL and one Redis: their throughput, and what they lose during faults. */
import { seededRandom } from '@hilltop/simulator';
import type { Bench, Case, Outcome, Row } from '../case.ts';
import { createBaseRecords } from '../driver/base-records.ts';
import { startCluster } from '../driver/cluster.ts';
import { openEventSockets } from '../driver/event-sockets.ts';
import { createABPFleet, createOTAAFleet, receptionOf } from '../driver/fleet.ts';
import { openGateways } from '../driver/gateways.ts';
import { pace, settled } from '../driver/pace.ts';
import { limitProcessor, whyNoProcessorLimit } from '../driver/processor-limit.ts';
import { startServer } from '../driver/server.ts';
import { isSustained, over } from '../driver/uplink-ladder.ts';
import { fCntOf, type Servers, startUplinkRunner, type UplinkResult } from '../driver/uplink-run.ts';
import { type FaultStep, runFaultSteps } from '../faults/instance-run.ts';
import type { Verdict } from '../faults/ledger.ts';
import { noNamespaces } from '../faults/namespace.ts';
import { promiseRow } from '../faults/promise.ts';
import { describePhase } from '../faults/resource-watch.ts';
import { busy, plain } from '../faults/traffic.ts';
import { sendToClassC } from './downlinks.ts';
import { runJoins } from './joins.ts';

const count = 3;
const perSecondWithFaults = 500;

type Measured = UplinkResult & { postgres: number };

/** Measures rising rates until one is not sustained; processor time in microseconds per uplink. */
async function ladder(
  { quick, say }: Bench,
  servers: Servers,
  {
    udpPorts,
    postgresSeconds,
    rates = [200, 1000, 1500, 2000, 2500, 3000, 4000],
  }: { udpPorts: number[]; postgresSeconds: () => number; rates?: readonly number[] },
): Promise<Measured[]> {
  const ground = await createBaseRecords(servers.client);
  const fleet = await createABPFleet(servers.client, ground, quick ? 500 : 1000);
  using gateways = await openGateways(udpPorts, ground.gatewayIDs);
  using runner = await startUplinkRunner(servers, fleet, gateways);
  await runner.run(200, 3);
  const results: Measured[] = [];
  for (const perSecond of rates) {
    const before = postgresSeconds();
    const result = await runner.run(perSecond, quick ? 4 : 10);
    const postgres = Math.round(((postgresSeconds() - before) / result.sent) * 1e6);
    const { delivered, sent, lost, latency } = result;
    say(
      `${perSecond}/s: ${delivered} of ${sent}, ${lost} lost, ${latency.p50} / ${latency.p99} ms, ` +
        `servers ${perUplink(result)}, PostgreSQL ${postgres} µs`,
    );
    results.push({ ...result, postgres });
    if (!isSustained(result)) break;
  }
  return results;
}

const perUplink = ({ processor, perSecond }: UplinkResult) => Math.round((processor * 10_000) / perSecond);

function ladderRow(work: string, target: string, results: Measured[]): Row {
  const best = results.findLast(isSustained);
  const ours = best
    ? `${best.perSecond}/s, p99 +${over(best.latency.p99)} ms; servers ${perUplink(best)}, PostgreSQL ${best.postgres} µs each`
    : 'none';
  return { work, before: '-', target, ours };
}

/** S1: one instance, the baseline for the other cases. */
const one: Case = async (bench) => {
  await using server = await startCluster(1, { settings: { ...bench.settings, HILLTOP_REDIS_URL: '' } });
  const measured = await ladder(bench, server, server);
  return { rows: [ladderRow('S1: uplinks, PostgreSQL, one instance', '2,500/s, p99 +100 ms', measured)], measured };
};

/** S2, S4: three instances. */
const three: Case = async (bench) => {
  await using servers = await startCluster(count, bench);
  const measured = await ladder(bench, servers, servers);
  const { latency } = measured[0]!;
  return {
    rows: [
      ladderRow('S2: uplinks, three instances', '1,500/s, 1.5 × the processor of S1', measured),
      {
        work: 'S4: latency over the window at 200/s, three instances, p50 / p99',
        before: '-',
        target: '+8 / +30 ms',
        ours: `+${over(latency.p50)} / +${over(latency.p99)} ms`,
      },
    ],
    measured,
  };
};

const heldTo = 0.4;
const heldRates = [200, 300, 400, 500, 600, 700, 800, 900, 1000, 1200, 1400, 1600, 1800, 2000];

/** S3: the gain of more instances, when each is limited to a share of the machine. */
const held: Case = async (bench) => {
  const work = `S3: uplinks, 1, 2, 3 instances that are held to ${heldTo * 100} % of a core each`;
  const missing = whyNoProcessorLimit();
  if (missing) return { rows: [{ work, before: '-', target: '-', ours: `skipped: ${missing}` }], measured: missing };
  const best: number[] = [];
  const measured: Measured[][] = [];
  for (const size of [1, 2, 3]) {
    bench.say(`${size} of them`);
    await using servers = await startCluster(size, bench);
    using shares = new DisposableStack();
    for (const pid of servers.pids) shares.use(limitProcessor(pid, heldTo));
    const results = await ladder(bench, servers, { ...servers, rates: heldRates });
    best.push(results.findLast(isSustained)?.perSecond ?? 0);
    measured.push(results);
  }
  const times = best.map((rate) => (best[0] ? `${rate}/s (×${Math.round((rate / best[0]) * 10) / 10})` : `${rate}/s`));
  return { rows: [{ work, before: '-', target: '×1, ×1.8, ×2.6', ours: times.join(', ') }], measured };
};

const aloneRounds = 3;
const alonePerSecond = 1000;

/** S14: the cost of cluster support for a single process. Measures an older checkout in turn when one is named. */
const alone: Case = async (bench) => {
  const roots = bench.before === undefined ? [undefined] : [bench.before, undefined];
  const results: UplinkResult[][] = roots.map(() => []);
  for (let round = 0; round < aloneRounds; round += 1)
    for (const [nth, root] of roots.entries()) {
      await using server = await startServer({ ...bench, database: 'sqlite', root });
      const ground = await createBaseRecords(server.client);
      const fleet = await createABPFleet(server.client, ground, 500);
      using gateways = await openGateways(server.hilltop.udpPort, ground.gatewayIDs);
      using runner = await startUplinkRunner(server, fleet, gateways);
      await runner.run(alonePerSecond, 3);
      const result = await runner.run(alonePerSecond, bench.quick ? 6 : 20);
      results[nth]!.push(result);
      bench.say(
        `${root ?? 'this version'}: ${perUplink(result)} µs, p50 ${result.latency.p50} ms, ${result.lost} lost`,
      );
    }
  const middle = (some: readonly UplinkResult[]) =>
    some.map(perUplink).sort((a, b) => a - b)[Math.floor(some.length / 2)]!;
  const now = middle(results.at(-1)!);
  const before = results.length > 1 ? middle(results[0]!) : null;
  const change = before === null ? '' : `, ${Math.round((now / before - 1) * 1000) / 10} % more`;
  return {
    rows: [
      {
        work: `S14: one process on SQLite, ${alonePerSecond}/s: processor time of an uplink`,
        before: before === null ? '- (name a checkout: --before FOLDER)' : `${before} µs`,
        target: 'as before within 2 %',
        ours: `${now} µs${change}`,
      },
    ],
    measured: results,
  };
};

/** S5: every instance receives every uplink. */
const copies: Case = async (bench) => {
  await using servers = await startCluster(count, bench);
  const { hilltop, token, client } = servers;
  const ground = await createBaseRecords(client);
  const fleet = await createABPFleet(client, ground, 500);
  const size = fleet.devices.length;
  using gateways = await openGateways(servers.udpPorts, ground.gatewayIDs.slice(0, count));
  const paths = await Promise.all(fleet.devEUIs.map((devEUI) => client.device.streamEventLogs.path({ devEUI })));
  const receptions = new Map<string, number>();
  let [sent, twice] = [0, 0];
  using _sockets = await openEventSockets({
    url: hilltop.url,
    token,
    paths,
    onEvent: (device, text) => {
      const fCnt = fCntOf(text);
      if (!(fCnt >= 0)) return;
      const name = `${device} ${fCnt}`;
      if (receptions.has(name)) twice += 1;
      receptions.set(name, text.split(String.raw`\"gatewayID\"`).length - 1);
    },
  });
  const data = new Uint8Array(20).fill(0x5a);
  async function run(perSecond: number, seconds: number): Promise<Row> {
    receptions.clear();
    const datagrams = Array.from({ length: perSecond * seconds }, () => {
      const transmission = fleet.devices[sent % size]!.uplink({ fPort: 10, data });
      const turns = Array.from({ length: count }, (_, nth) => sent * count + nth);
      sent += 1;
      return turns.map((turn) => [turn, gateways.prepare(turn, receptionOf(transmission, turn * 100))] as const);
    });
    const total = datagrams.length;
    await pace(perSecond, total, (at) => datagrams[at]!.forEach(([turn, datagram]) => gateways.send(turn, datagram)));
    await settled(total, () => receptions.size, 10_000);
    const complete = [...receptions.values()].filter((receivedBy) => receivedBy === count).length;
    const share = Math.round((complete / total) * 1000) / 10;
    bench.say(`${perSecond}/s: ${receptions.size} events of ${total}, ${complete} with all receptions`);
    return {
      work: `S5: uplinks that all three instances hear, ${perSecond}/s`,
      before: '-',
      target: 'one event each, 99.9 % with 3 receptions',
      ours: `${total - receptions.size} missing, ${twice} twice, ${share} % with 3 receptions`,
      isBroken: receptions.size < total || twice > 0,
    };
  }
  await run(50, 10);
  const rows = [await run(100, bench.quick ? 5 : 20), await run(500, bench.quick ? 4 : 20)];
  return { rows, measured: rows };
};

/** S10: joins at several instances. */
const joins: Case = async (bench) => {
  await using servers = await startCluster(count, bench);
  const ground = await createBaseRecords(servers.client);
  const fleet = await createOTAAFleet(servers.client, ground, bench.quick ? 500 : 1500);
  using gateways = await openGateways(servers.udpPorts, ground.gatewayIDs);
  await runJoins(fleet, gateways, servers.pids, 100, 2);
  const result = await runJoins(fleet, gateways, servers.pids, 500, bench.quick ? 3 : 8);
  const { sent, accepted, latency } = result;
  return {
    rows: [
      {
        work: 'S10: joins, 500/s, three instances',
        before: '-',
        target: 'all within 5 s, p99 500 ms',
        ours: `${accepted} of ${sent}, p99 ${latency.p99} ms`,
        isBroken: accepted < sent,
      },
    ],
    measured: result,
  };
};

/** S11: class C downlinks that are enqueued at another instance than the gateway's, and then at the same. */
const downlinks: Case = async (bench) => {
  const outcomes: Outcome[] = [];
  for (const nth of [1, 0]) {
    await using servers = await startCluster(2, bench);
    const ground = await createBaseRecords(servers.client);
    using gateways = await openGateways(servers.udpPorts[nth]!, ground.gatewayIDs);
    outcomes.push(await sendToClassC(bench, servers, ground, gateways));
  }
  const rows = outcomes.flatMap(({ rows: [row] }, nth) => ({
    ...row!,
    work: `S11: class C, 100/s, gateway at ${nth === 0 ? 'another instance' : 'the same one'}: enqueue until PULL_RESP`,
    target: nth === 0 ? 'p99 +20 ms over the next line' : '-',
  }));
  return { rows, measured: outcomes.map(({ measured }) => measured) };
};

const days = ['s6', 's7', 's8', 's9', 's12', 'frozen', 'apart', 'others'] as const;
type Day = (typeof days)[number];

interface FaultRun {
  name: string;
  target: { lateSeconds: number; quietSeconds?: number; callsFailed?: number };
  steps: FaultStep[];
  isBusy?: boolean;
  isApart?: boolean;
}

const times = (count: number, step: FaultStep): FaultStep[] => Array.from({ length: count }, () => step);

const faultRuns = (quick: boolean): Record<Day, FaultRun> => ({
  s6: {
    name: `S6: kill -9 of one of three, ${quick ? 3 : 20} times`,
    target: { lateSeconds: 6 },
    steps: times(quick ? 3 : 20, { fault: 'killed', seconds: 2 }),
  },
  s7: {
    name: 'S7: one stands still for 30 s',
    target: { lateSeconds: 6 },
    steps: times(quick ? 1 : 3, { fault: 'standing still', seconds: 30 }),
  },
  s8: { name: 'S8: Redis away for 10 s', target: { lateSeconds: 2 }, steps: [{ fault: 'Redis killed', seconds: 10 }] },
  s9: {
    name: 'S9: PostgreSQL ended for 1 s and 10 s',
    target: { lateSeconds: 13, quietSeconds: 12 },
    steps: [1, 10].map((seconds) => ({ fault: 'PostgreSQL ended', seconds })),
  },
  s12: {
    name: 'S12: rolling restart of three',
    target: { lateSeconds: 6, callsFailed: 0 },
    steps: times(count, { fault: 'stopped', seconds: 1 }),
    isBusy: true,
  },
  frozen: {
    name: 'Rolling restart while everything else stands still',
    target: { lateSeconds: 40 },
    steps: (quick ? [10] : [10, 20, 30]).flatMap((seconds) => [
      { fault: 'stopped while the others stand still', seconds },
      { fault: 'stopped while PostgreSQL stands still', seconds },
      { fault: 'stopped', seconds: 1 },
    ]),
    isBusy: true,
  },
  apart: {
    name: 'The network of one is cut, on all sides, for 30 s',
    // A resumed instance acknowledges the uplinks that it received but had not written.
    target: { lateSeconds: 36 },
    steps: times(quick ? 1 : 3, { fault: 'cut off from everything', seconds: 30 }),
    isBusy: true,
    isApart: true,
  },
  others: {
    name: 'Everything else that can happen, one after the other',
    target: { lateSeconds: 30 },
    steps: (
      [
        'refused by PostgreSQL',
        'cut off from PostgreSQL',
        'forgotten between it and PostgreSQL',
        'cut off from Redis',
        'PostgreSQL slow',
        'Redis flushed',
        'Redis standing still',
        'Redis slow',
        'clocks an hour apart',
        'flows moved',
        'two gateways with one EUI',
      ] as const
    ).map((fault) => ({ fault, seconds: 5 })),
    isBusy: true,
  },
});

function faultRun(which: Day): Case {
  return async ({ quick, settings, say }) => {
    const { name, target, steps, isBusy = false, isApart = false } = faultRuns(quick)[which];
    const missing = isApart ? noNamespaces() : null;
    if (missing)
      return { rows: [{ work: name, before: '-', target: '-', ours: `skipped: ${missing}` }], measured: missing };
    const perSecond = isBusy ? 50 : perSecondWithFaults;
    const verdict = await runFaultSteps(steps, {
      instances: count,
      isApart,
      settings,
      random: seededRandom(7),
      perSecond,
      devices: Math.ceil(perSecond * 2.4),
      habits: isBusy ? busy : plain,
      patienceMs: 60_000,
      restMs: 3000,
      onStep: ({ fault }) => say(fault),
    });
    for (const phase of verdict.phases) say(describePhase(phase));
    return { rows: [rowOf(name, target, verdict)], measured: verdict };
  };
}

function rowOf(name: string, target: FaultRun['target'], verdict: Verdict & { unfinished: number }): Row {
  const { acknowledged, lost, doubled, outOfOrder, shownOutOfOrder, belated } = verdict;
  const { forgotten, counterReuse, itemsLost, unfinished } = verdict;
  const row = promiseRow(`${name}, of ${acknowledged} acknowledged uplinks`, [
    { name: 'lost', found: lost, most: 0 },
    { name: 'doubled', found: doubled, most: 0 },
    { name: 'out of order', found: outOfOrder, most: 0, behind: ` (${belated} were acknowledged too late for that)` },
    { name: 'shown out of order', found: shownOutOfOrder, most: 0 },
    { name: 'shown and forgotten', found: forgotten, most: 0 },
    { name: 'counters with two contents', found: counterReuse, most: 0 },
    { name: 'queued downlinks lost', found: itemsLost, most: 0 },
    { name: 'left in the journal', found: unfinished, most: 0 },
  ]);
  const times = Object.entries(target).map(([key, most]) => ({
    name: words[key as keyof typeof words],
    found: verdict[key as keyof typeof words],
    most,
  }));
  const timed = promiseRow('', times);
  return { ...row, target: `${row.target}, ${timed.target}`, ours: `${row.ours}, ${timed.ours}` };
}

const words = {
  lateSeconds: 's late',
  quietSeconds: 's without an acknowledgement',
  callsFailed: 'calls of the API failed',
} as const;

export const scale: Record<string, Case> = {
  'scale-one': one,
  'scale-three': three,
  'scale-held': held,
  'scale-alone': alone,
  'scale-copies': copies,
  'scale-joins': joins,
  'scale-downlinks': downlinks,
  ...Object.fromEntries(days.map((which) => [`scale-${which}`, faultRun(which)])),
};
