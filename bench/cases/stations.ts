import { freePort } from '@hilltop/simulator';
import type { Case } from '../case.ts';
import { createBaseRecords } from '../driver/base-records.ts';
import { createABPFleet } from '../driver/fleet.ts';
import { startServer } from '../driver/server.ts';
import { openStations } from '../driver/stations.ts';
import { isSustained, rateOf, runLadder } from '../driver/uplink-ladder.ts';
import { startUplinkRunner } from '../driver/uplink-run.ts';

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
  const rates = quick ? [1000, 2000, 3000] : [1000, 2000, 3000, 4000, 5000];
  const ladder = await runLadder(bench, runner, { rates, seconds: 10 });
  const best = ladder.findLast(isSustained);
  return {
    rows: [
      {
        work: 'uplinks of Basics Stations, message to websocket event, without loss',
        before: '–',
        target: '3,000/s',
        ours: best ? rateOf(best) : 'none',
      },
    ],
    measured: ladder,
  };
};
