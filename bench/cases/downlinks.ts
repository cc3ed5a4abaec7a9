import { setTimeout as delay } from 'node:timers/promises';
import type { Txpk } from '@hilltop/gateway-protocols';
import { decodeFrame, gpsTimeOf, nextPingSlot } from '@hilltop/lorawan';
import type { Bench, Case, Outcome } from '../case.ts';
import { type BaseRecords, createBaseRecords, forEach } from '../driver/base-records.ts';
import { createABPFleet, sendOneOfEach } from '../driver/fleet.ts';
import { type Gateways, openGateways } from '../driver/gateways.ts';
import { openConnections } from '../driver/http-load.ts';
import { processesOf } from '../driver/measured-processes.ts';
import { pace, settled } from '../driver/pace.ts';
import { eachOf, microsecondsEach, watchProcesses } from '../driver/process-use.ts';
import { type BenchServer, startServer } from '../driver/server.ts';
import { spreadOf } from '../driver/spread.ts';

/** Network-initiated downlinks: the latency of class C, and the accuracy of class B. */
export const downlinks: Case = async (bench) => {
  await using server = await startServer(bench);
  const ground = await createBaseRecords(server.client);
  using gateways = await openGateways(server.hilltop.udpPort, ground.gatewayIDs);
  const classC = await sendToClassC(bench, server, ground, gateways);
  const classB = await sendToClassB(bench, server, ground, gateways);
  const multicast = await sendToGroup(bench, server, ground, gateways);
  return {
    rows: [...classC.rows, ...classB.rows, ...multicast.rows],
    measured: { classC: classC.measured, classB: classB.measured, multicast: multicast.measured },
  };
};

const perSecond = 100;
const connections = 16;
/** Number of warm-up downlinks, which are not counted. */
const warmUp = 200;
/** The receive windows after the first uplink of a device, plus a margin. */
const afterUplinkMs = 5000;

type ClassCServer = Pick<BenchServer, 'client' | 'hilltop' | 'token'> & Partial<Pick<BenchServer, 'postgres'>>;

export async function sendToClassC(
  bench: Bench,
  { client, hilltop, token, postgres }: ClassCServer,
  ground: BaseRecords,
  gateways: Gateways,
): Promise<Outcome> {
  const count = perSecond * (bench.quick ? 5 : 20);
  const fleet = await createABPFleet(client, ground, count + warmUp, {
    profile: ground.profiles.classC,
    listening: { classC: true },
  });
  await sendOneOfEach(fleet, gateways);
  await delay(afterUplinkMs);
  const sentAt = new Map<string, number>();
  const took: number[] = [];
  gateways.onDownlink = (txpk) => {
    const from = sentAt.get(devAddrOf(txpk));
    if (from !== undefined) took.push(performance.now() - from);
  };
  const answered: number[] = [];
  using calls = openConnections({ url: hilltop.url, token }, connections);
  const enqueue = async (index: number) => {
    const from = performance.now();
    sentAt.set(fleet.devices[index]!.session!.devAddr, from);
    const devEUI = fleet.devEUIs[index]!;
    const body = { deviceQueueItem: { devEUI, fPort: 10, confirmed: false, data: 'AQID' } };
    const { status } = await calls.ask({ method: 'POST', path: `/api/devices/${devEUI}/queue`, body });
    if (status === 200) answered.push(performance.now() - from);
  };
  await pace(perSecond, warmUp, (index) => void enqueue(count + index));
  await settled(warmUp, () => took.length);
  // Late downlinks of the warm-up do not count.
  sentAt.clear();
  for (const times of [took, answered]) times.length = 0;
  const used = watchProcesses(processesOf([hilltop.pid()], postgres));
  await pace(perSecond, count, (index) => void enqueue(index));
  await settled(count, () => took.length);
  const each = microsecondsEach(used(), count);
  const [spread, answers] = [spreadOf(took), spreadOf(answered)];
  bench.say(
    `class C: ${took.length} of ${count} sent, ${spread.p50} / ${spread.p95} / ${spread.p99} / ${spread.max} ms; ` +
      `the request alone ${answers.p50} / ${answers.p99} ms; ${eachOf(each)}`,
  );
  return {
    rows: [
      {
        work: `class C: request to enqueue until PULL_RESP, ${perSecond}/s`,
        before: 'up to 1 s',
        target: 'p99 8 ms',
        ours:
          took.length === count
            ? `p50 ${spread.p50}, p99 ${spread.p99} ms; ${eachOf(each)}`
            : `${took.length} of ${count} sent`,
        isBroken: took.length !== count,
      },
    ],
    measured: { count, sent: took.length, spread, answers, each },
  };
}

const first = 100_000;
const slotsPerBeacon = 128;

async function sendToClassB(
  bench: Bench,
  { client }: BenchServer,
  ground: BaseRecords,
  gateways: Gateways,
): Promise<Outcome> {
  const count = bench.quick ? 50 : 500;
  const fleet = await createABPFleet(client, ground, count, {
    first,
    profile: ground.profiles.classB,
    listening: { classB: { periodicity: 0 } },
  });
  const byAddress = new Map(fleet.devices.map((device) => [device.session!.devAddr, device]));
  gateways.onDownlink = (txpk) => void byAddress.get(devAddrOf(txpk))?.receive(Uint8Array.fromBase64(txpk.data));
  // The network server accepts the ping slots in its response to the first uplink; the second uplink announces class B.
  for (let nth = 0; nth < 2; nth += 1) {
    await sendOneOfEach(fleet, gateways);
    await delay(afterUplinkMs);
  }
  const off: number[] = [];
  const ahead: number[] = [];
  gateways.onDownlink = ({ tmms: slot, ...txpk }) => {
    // MAC commands that answer an uplink are not sent in a ping slot.
    if (slot === undefined) return;
    off.push(Math.abs(nextPingSlot(devAddrOf(txpk), slot - 1, slotsPerBeacon) - slot));
    ahead.push(slot - gpsTimeOf(new Date()));
  };
  await Promise.all(
    fleet.devEUIs.map((devEUI) =>
      client.deviceQueue.enqueue({ deviceQueueItem: { devEUI, fPort: 10, confirmed: false, data: 'AQID' } }),
    ),
  );
  await settled(count, () => off.length, 15_000);
  gateways.onDownlink = () => undefined;
  const [accuracy, lead] = [spreadOf(off), spreadOf(ahead)];
  bench.say(`class B: ${off.length} of ${count} sent, at most ${accuracy.max} ms off; ${lead.p50} ms ahead`);
  return {
    rows: [
      {
        work: `class B: \`tmms\` beside the computed ping slot, ${count} devices at once`,
        before: '-',
        target: '1 ms, before the slot',
        ours: `${off.length} sent, ${accuracy.max} ms off, ${Math.round(Math.min(...ahead))} ms ahead at least`,
        isBroken: off.length !== count || accuracy.max > 1 || Math.min(...ahead) < 0,
      },
    ],
    measured: { count, sent: off.length, accuracy, lead },
  };
}

/** Pauses between gateways are shorter than the 2 s between two frames of one gateway. */
const maxGatewayPauseMs = 2000;

/** A multicast group whose devices are in range of one gateway each, so that every gateway has to send. */
async function sendToGroup(
  bench: Bench,
  { client }: BenchServer,
  ground: BaseRecords,
  gateways: Gateways,
): Promise<Outcome> {
  const count = bench.quick ? 200 : 1000;
  const fleet = await createABPFleet(client, ground, count, {
    first: 2 * first,
    profile: ground.profiles.classC,
    listening: { classC: true },
  });
  await sendOneOfEach(fleet, gateways);
  const [mcAddr, key, applicationID] = ['fe010203', '01'.repeat(16), ground.applicationID];
  const { id: multicastGroupID } = await client.multicastGroup.create({
    multicastGroup: { name: 'all', applicationID, mcAddr, mcNwkSKey: key, mcAppSKey: key, frequency: 869_525_000 },
  });
  await forEach(count, (at) => client.multicastGroup.addDevice({ multicastGroupID, devEUI: fleet.devEUIs[at]! }));
  await delay(afterUplinkMs);
  const sent: { at: number; data: string }[] = [];
  gateways.onDownlink = (txpk) => {
    if (devAddrOf(txpk) === mcAddr) sent.push({ at: performance.now(), data: txpk.data });
  };
  const from = performance.now();
  await client.multicastGroup.enqueue({ multicastQueueItem: { multicastGroupID, fPort: 10, data: 'AQID' } });
  const answered = Math.round(performance.now() - from);
  const wanted = ground.gatewayIDs.length;
  await settled(wanted, () => sent.length, 10_000);
  const pauses = sent.slice(1).map(({ at }, index) => at - sent[index]!.at);
  const longest = Math.round(Math.max(...pauses));
  const took = Math.round(((sent.at(-1)?.at ?? from) - from) / 100) / 10;
  const alike = new Set(sent.map(({ data }) => data)).size;
  bench.say(
    `multicast: ${sent.length} of ${wanted} gateways in ${took} s, ${longest} ms apart at most; request ${answered} ms`,
  );
  return {
    rows: [
      {
        work: `multicast to ${count} devices over ${wanted} gateways: one frame each`,
        before: '-',
        target: 'all, the same frame',
        ours: `${sent.length} in ${took} s, at most ${longest} ms apart; request ${answered} ms`,
        isBroken: sent.length !== wanted || alike !== 1 || longest >= maxGatewayPauseMs,
      },
    ],
    measured: { count, sent: sent.length, took, longest, answered },
  };
}

function devAddrOf({ data }: Txpk): string {
  const frame = decodeFrame(Uint8Array.fromBase64(data));
  return 'devAddr' in frame ? frame.devAddr : '';
}
