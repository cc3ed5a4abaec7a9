import type { Txpk } from '@hilltop/gateway-protocols';
import { openJoinAccept } from '@hilltop/lorawan';
import type { Case } from '../case.ts';
import { createBaseRecords } from '../driver/base-records.ts';
import { createOTAAFleet, type Fleet, receptionOf, rootKey } from '../driver/fleet.ts';
import { type Gateways, openGateways } from '../driver/gateways.ts';
import { pace, settled } from '../driver/pace.ts';
import { watchProcessor } from '../driver/process-use.ts';
import { startServer } from '../driver/server.ts';
import { type Spread, spreadOf } from '../driver/spread.ts';

interface JoinResult {
  perSecond: number;
  sent: number;
  /** Number of join-accepts with a valid MIC that arrived in time for the first window, 5 s after the request. */
  accepted: number;
  wrong: number;
  late: number;
  /** Latency from the join-request datagram to the join-accept datagram in ms. */
  latency: Spread;
  processor: number;
}

const windowMs = 5000;
const windowMicroseconds = 5_000_000;
/** Concentrator time between two requests in microseconds; it identifies the request of a response. */
const spacing = 100;

/** Join-requests at rising rates. The join-accept must arrive at the gateway's socket before the device listens. */
export const joins: Case = async (bench) => {
  const { quick, say } = bench;
  await using server = await startServer(bench);
  const ground = await createBaseRecords(server.client);
  say('provisioning devices that join');
  const fleet = await createOTAAFleet(server.client, ground, quick ? 500 : 3000);
  using gateways = await openGateways(server.hilltop.udpPort, ground.gatewayIDs);

  const pids = [server.hilltop.pid()];
  const seconds = quick ? 3 : 8;
  await runJoins(fleet, gateways, pids, 100, 2);
  const ladder: JoinResult[] = [];
  for (const perSecond of quick ? [200, 500, 1000] : [200, 500, 1000, 1500, 2000, 2500, 3000, 3500]) {
    const result = await runJoins(fleet, gateways, pids, perSecond, seconds);
    const { sent, accepted, wrong, late, latency, processor } = result;
    say(
      `${perSecond} joins/s: ${sent} sent, ${accepted} accepted, ${wrong} wrong, ${late} late; ` +
        `${latency.p50} / ${latency.p95} / ${latency.p99} / ${latency.max} ms; server ${processor} %`,
    );
    ladder.push(result);
    if (accepted < sent) break;
  }
  const best = ladder.findLast(({ sent, accepted }) => accepted === sent);
  return {
    rows: [
      {
        work: 'joins within the window',
        before: '400/s, p99 452 ms',
        target: '3,000/s',
        ours: best ? `${best.perSecond}/s, p99 ${best.latency.p99} ms` : 'none',
      },
    ],
    measured: ladder,
  };
};

export async function runJoins(
  fleet: Fleet,
  gateways: Gateways,
  pids: readonly number[],
  perSecond: number,
  seconds: number,
): Promise<JoinResult> {
  const count = perSecond * seconds;
  const datagrams = Array.from({ length: count }, (_, index) => {
    const transmission = fleet.devices[index % fleet.devices.length]!.joinRequest({ dataRate: 5 });
    return gateways.prepare(index, receptionOf(transmission, index * spacing));
  });
  const sentAt = new Float64Array(count);
  const answers: { index: number; txpk: Txpk; at: number }[] = [];
  gateways.onDownlink = (txpk) => {
    answers.push({ index: ((txpk.tmst ?? 0) - windowMicroseconds) / spacing, txpk, at: performance.now() });
  };
  const processor = watchProcessor(...pids);
  await pace(perSecond, count, (index) => {
    sentAt[index] = performance.now();
    gateways.send(index, datagrams[index]!);
  });
  const used = processor();
  await settled(count, () => answers.length, windowMs);
  gateways.onDownlink = () => {};

  const accepts = new Map<number, number>();
  let wrong = 0;
  for (const { index, txpk, at } of answers) {
    if (isRight(txpk, index % fleet.devices.length)) accepts.set(index, at - sentAt[index]!);
    else wrong += 1;
  }
  const latencies = [...accepts.values()];
  const late = latencies.filter((ms) => ms >= windowMs).length;
  return {
    perSecond,
    sent: count,
    accepted: latencies.length - late,
    wrong,
    late,
    latency: spreadOf(latencies),
    processor: used,
  };
}

function isRight(txpk: Txpk, device: number): boolean {
  const nwkKey = Uint8Array.fromHex(rootKey(device));
  const security = { encryptionKey: nwkKey, micKey: nwkKey, answered: null };
  return openJoinAccept(Uint8Array.fromBase64(txpk.data), security).isMicValid;
}
