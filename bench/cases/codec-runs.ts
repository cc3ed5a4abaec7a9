import { operations } from '@hilltop/contract';
import type { Case } from '../case.ts';
import { createBaseRecords } from '../driver/base-records.ts';
import { createABPFleet } from '../driver/fleet.ts';
import { openGateways } from '../driver/gateways.ts';
import { loadHTTP } from '../driver/http-load.ts';
import { startServer } from '../driver/server.ts';
import { startSoakRunner } from '../driver/soak-run.ts';

const perSecond = 500;
const decoder = 'function Decode(fPort, bytes) { return { temperature: ((bytes[0] << 8) | bytes[1]) / 100 }; }';
/** The scripts that a user tries in the codec bench: scripts that work, and every fifth one that never ends. */
const tried = Array.from({ length: 5 }, (_, at) => (at === 0 ? 'function Decode() { for (;;); }' : decoder));
const inputs = Array.from({ length: 10 }, () => ({ direction: 'UPLINK', fPort: 10, data: 'CMoBAg==' }));

/** Latency of uplinks with a JavaScript codec, in turns without and beside runs of the codec bench. */
export const codecRuns: Case = async (bench) => {
  await using server = await startServer(bench);
  const { client, hilltop, token } = server;
  const ground = await createBaseRecords(client);
  const { deviceProfile } = await client.deviceProfile.get({ id: ground.profiles.personalized });
  await client.deviceProfile.update({
    deviceProfile: { ...deviceProfile, payloadCodec: 'CUSTOM_JS', payloadDecoderScript: decoder },
  });
  const fleet = await createABPFleet(client, ground, 500);
  using gateways = await openGateways(hilltop.udpPort, ground.gatewayIDs);
  using runner = await startSoakRunner({ server, fleet, gateways, copies: 1 });
  const callsOf = (turn: number) => {
    const body = {
      organizationID: deviceProfile.organizationID,
      codec: 'CUSTOM_JS',
      decoderScript: tried[turn % tried.length],
      runs: inputs,
    };
    return [{ method: 'POST', path: operations.codecRun.create.path, body }];
  };

  await runner.run(perSecond, 5);
  const seconds = bench.quick ? 5 : 20;
  const alone: number[] = [];
  const beside: number[] = [];
  let runs = 0;
  for (let pair = 0; pair < (bench.quick ? 2 : 6); pair += 1) {
    alone.push((await runner.run(perSecond, seconds)).latency.p99);
    const [run, calls] = await Promise.all([
      runner.run(perSecond, seconds),
      loadHTTP({ url: hilltop.url, token, connections: 2, seconds, restMs: 250, callsOf }),
    ]);
    if (calls.failures > 0) bench.say(calls.firstFailure);
    beside.push(run.latency.p99);
    runs += calls.turns * inputs.length;
    bench.say(`p99 +${alone.at(-1)} ms alone, +${beside.at(-1)} ms beside ${calls.turns} calls`);
  }
  return {
    rows: [
      {
        work: `uplinks at ${perSecond}/s with a codec, p99: alone, beside ${runs} runs of the codec bench`,
        before: 'not available',
        target: 'unchanged',
        ours: `+${middle(alone)} ms, +${middle(beside)} ms`,
      },
    ],
    measured: { alone, beside },
  };
};

const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
