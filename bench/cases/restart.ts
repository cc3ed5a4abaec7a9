import { setTimeout as delay } from 'node:timers/promises';
import type { Case } from '../case.ts';
import { createBaseRecords } from '../driver/base-records.ts';
import { openEventSockets } from '../driver/event-sockets.ts';
import { createABPFleet, receptionOf } from '../driver/fleet.ts';
import { openGateways } from '../driver/gateways.ts';
import { pace } from '../driver/pace.ts';
import { startServer } from '../driver/server.ts';
import { fCntOf, sum } from '../driver/uplink-run.ts';

const perSecond = 500;
const killAfterMs = 2500;
const settleMs = 3000;

/** Kills the server under load and restarts it: the time without acknowledgements, and the number of lost uplinks. */
export const restart: Case = async (bench) => {
  await using server = await startServer(bench);
  const { hilltop, client, token } = server;
  const ground = await createBaseRecords(client);
  bench.say('killing the server under load');
  const fleet = await createABPFleet(client, ground, 500);
  using gateways = await openGateways(hilltop.udpPort, ground.gatewayIDs);

  const count = perSecond * 8;
  const size = fleet.devices.length;
  const datagrams = Array.from({ length: count }, (_, index) => {
    const transmission = fleet.devices[index % size]!.uplink({ fPort: 10, data: new Uint8Array(20) });
    return gateways.prepare(index, receptionOf(transmission, index * 100));
  });
  const acknowledged = new Uint8Array(count);
  let [last, gap] = [performance.now(), 0];
  gateways.onAcknowledged = (index) => {
    const now = performance.now();
    [gap, last] = [Math.max(gap, now - last), now];
    acknowledged[index] = 1;
  };
  const sending = pace(perSecond, count, (index) => gateways.send(index, datagrams[index]!));
  await delay(killAfterMs);
  await hilltop.stop('SIGKILL');
  await hilltop.start();
  await sending;
  await delay(settleMs);

  // Each device sent fewer uplinks than a stream starts with, so a new stream shows every event.
  const seen = new Uint8Array(count);
  let twice = 0;
  const paths = await Promise.all(fleet.devEUIs.map((devEUI) => client.device.streamEventLogs.path({ devEUI })));
  using _sockets = await openEventSockets({
    url: hilltop.url,
    token,
    paths,
    onEvent: (device, text) => {
      const index = fCntOf(text) * size + device;
      if (!(index < count)) return;
      if (seen[index]) twice += 1;
      seen[index] = 1;
    },
  });
  await delay(settleMs);
  const total = sum(acknowledged);
  const lost = acknowledged.reduce((sofar, one, index) => sofar + (one && !seen[index] ? 1 : 0), 0);
  return {
    rows: [
      {
        work: `restart gap at ${perSecond}/s after kill -9`,
        before: '2.3 s (2 s of it down)',
        target: '1.5 s',
        ours: `${(gap / 1000).toFixed(2)} s`,
      },
      {
        work: 'acknowledged uplinks lost by that',
        before: '223 of 2,499',
        target: '0',
        ours: `${lost} of ${total}, ${twice} twice`,
      },
    ],
    measured: { perSecond, sent: count, acknowledged: total, lost, twice, gapMs: Math.round(gap) },
  };
};
