import { freePort } from '@hilltop/simulator';
import type { Case } from '../case.ts';
import { createBaseRecords } from '../driver/base-records.ts';
import { createABPFleet } from '../driver/fleet.ts';
import { startServer } from '../driver/server.ts';
import { openStations } from '../driver/stations.ts';
import { startUplinkRunner, type UplinkResult } from '../driver/uplink-run.ts';

const windowMs = 200;
/** With a higher latency than this, minus the deduplication window, the server no longer sustains the rate. */
const patienceMs = 1000;

/** Uplinks from Basics Stations to websocket events at rising rates, with the stream of each device open. */
export const stations: Case = async (bench) => {
  const { quick, say } = bench;
  const port = await freePort();
  const settings = { ...bench.settings, HILLTOP_BASICS_STATION: `127.0.0.1:${port}` };
  await using server = await startServer({ ...bench, settings });
  const ground = await createBaseRecords(server.client);
  say('provisioning devices with sessions');
  const fleet = await createABPFleet(server.client, ground, quick ? 500 : 1000);
  using gateways = await openStations(port, ground.gatewayIDs);
  using runner = await startUplinkRunner(server, fleet, gateways);

  await runner.run(200, 3);
  const ladder: UplinkResult[] = [];
  for (const perSecond of quick ? [1000, 2000, 3000] : [1000, 2000, 3000, 4000, 5000]) {
    const result = await runner.run(perSecond, quick ? 4 : 10);
    const { p50, p99 } = result.latency;
    say(`${perSecond} uplinks/s: ${result.delivered} of ${result.sent} delivered; ${p50} / ${p99} ms`);
    ladder.push(result);
    if (!isSustained(result)) break;
  }
  const best = ladder.findLast(isSustained);
  return {
    rows: [
      {
        work: 'uplinks of Basics Stations, message to websocket event, without loss',
        before: '–',
        target: '3,000/s',
        ours: best
          ? `${best.perSecond}/s, p99 +${Math.round(best.latency.p99 - windowMs)} ms, ${best.processor} % of a core`
          : 'none',
      },
    ],
    measured: ladder,
  };
};

function isSustained({ sent, delivered, duplicates, latency }: UplinkResult): boolean {
  return delivered === sent && duplicates === 0 && latency.p99 < windowMs + patienceMs;
}
