import type { Case } from '../case.ts';
import { createBaseRecords } from '../driver/base-records.ts';
import { createABPFleet } from '../driver/fleet.ts';
import { openGateways } from '../driver/gateways.ts';
import { startServer } from '../driver/server.ts';
import { startUplinkRunner, type UplinkResult } from '../driver/uplink-run.ts';

const windowMs = 200;
/** With a higher latency than this, minus the deduplication window, the server no longer sustains the rate. */
const patienceMs = 1000;

/** Uplinks from UDP datagram to websocket event at rising rates, with the stream of each device open. */
export const uplinks: Case = async (bench) => {
  const { quick, say } = bench;
  await using server = await startServer(bench);
  const ground = await createBaseRecords(server.client);
  say('provisioning devices with sessions');
  const fleet = await createABPFleet(server.client, ground, quick ? 500 : 1000);
  using gateways = await openGateways(server.hilltop.udpPort, ground.gatewayIDs);
  using runner = await startUplinkRunner(server, fleet, gateways);

  const seconds = quick ? 4 : 10;
  await runner.run(200, 3);
  const ladder: UplinkResult[] = [];
  for (const perSecond of quick ? [200, 1000, 2000, 4000] : [200, 400, 800, 1600, 2400, 3200, 4000, 5000, 6400]) {
    const result = await runner.run(perSecond, seconds);
    say(lineOf(result));
    ladder.push(result);
    if (!isSustained(result)) break;
  }
  const best = ladder.findLast(isSustained);
  const above = ladder.find((result) => !isSustained(result));
  const { latency } = ladder[0]!;
  return {
    rows: [
      {
        work: 'uplinks, datagram to websocket event, without loss',
        before: '400/s',
        target: '5,000/s',
        ours: best
          ? `${best.perSecond}/s, p99 +${Math.round(best.latency.p99 - windowMs)} ms, ${best.processor} % of a core`
          : 'none',
      },
      {
        work: 'acknowledged uplinks lost one rung above',
        before: '49 % at 800/s',
        target: '0',
        ours: above ? `${above.lost} of ${above.acknowledged} at ${above.perSecond}/s` : 'no rung above',
      },
      {
        work: 'latency over the 200 ms window at 200/s, p50 / p99',
        before: '+6 / +44 ms',
        target: '+5 / +25 ms',
        ours: `+${over(latency.p50)} / +${over(latency.p99)} ms`,
      },
    ],
    measured: ladder,
  };
};

function isSustained({ sent, delivered, duplicates, latency }: UplinkResult): boolean {
  return delivered === sent && duplicates === 0 && latency.p99 < windowMs + patienceMs;
}

function over(ms: number): number {
  return Math.round((ms - windowMs) * 10) / 10;
}

function lineOf({
  perSecond,
  sent,
  acknowledged,
  delivered,
  duplicates,
  lost,
  latency,
  processor,
}: UplinkResult): string {
  const { p50, p95, p99, max } = latency;
  return (
    `${perSecond} uplinks/s: ${sent} sent, ${acknowledged} acknowledged, ${delivered} delivered, ${duplicates} twice, ` +
    `${lost} lost; ${p50} / ${p95} / ${p99} / ${max} ms; server ${processor} %`
  );
}
