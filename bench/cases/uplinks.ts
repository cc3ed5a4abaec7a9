import type { Case } from '../case.ts';
import { createBaseRecords } from '../driver/base-records.ts';
import { createABPFleet } from '../driver/fleet.ts';
import { openGateways } from '../driver/gateways.ts';
import { startServer } from '../driver/server.ts';
import { isSustained, over, rateOf, runLadder } from '../driver/uplink-ladder.ts';
import { startUplinkRunner } from '../driver/uplink-run.ts';

/** Uplinks from UDP datagram to websocket event at rising rates, with the stream of each device open; see also `compare`. */
export const uplinks: Case = async (bench) => {
  const { quick, say } = bench;
  await using server = await startServer(bench);
  const ground = await createBaseRecords(server.client);
  say('provisioning devices with sessions');
  const fleet = await createABPFleet(server.client, ground, quick ? 500 : 1000);
  using gateways = await openGateways(server.hilltop.udpPort, ground.gatewayIDs);
  using runner = await startUplinkRunner(server, fleet, gateways);

  await runner.run(200, 3);
  const rates = quick ? [200, 1000, 2000, 4000] : [200, 400, 800, 1600, 2400, 3200, 4000, 5000, 6400];
  const ladder = await runLadder(bench, runner, { rates, seconds: 10 });
  const best = ladder.findLast(isSustained);
  const above = ladder.find((result) => !isSustained(result));
  const { perSecond, latency } = ladder[0]!;
  return {
    rows: [
      {
        work: 'uplinks, datagram to websocket event, without loss',
        before: '400/s',
        target: '8,000/s, +100 ms',
        ours: best ? rateOf(best) : 'none',
      },
      {
        work: 'acknowledged uplinks lost one rung above',
        before: '49 % at 800/s',
        target: '0',
        ours: above ? `${above.lost} of ${above.acknowledged} at ${above.perSecond}/s` : 'no rung above',
      },
      {
        work: `latency over the 200 ms window at ${perSecond}/s, p50 / p99`,
        before: '+6 / +44 ms',
        target: '+5 / +25 ms',
        ours: `+${over(latency.p50)} / +${over(latency.p99)} ms`,
      },
    ],
    measured: ladder,
  };
};
