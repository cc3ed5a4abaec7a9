import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PushData } from '@hilltop/gateway-protocols';
import { uplinksOf } from '@hilltop/gateway-protocols';
import type { DataFrame, JoinRequestFrame } from '@hilltop/lorawan';
import { decodeFrame, isDataFrame } from '@hilltop/lorawan';
import type { DeviceDescription } from './plan.ts';
import { planNetwork } from './plan.ts';
import { seededRandom } from './random.ts';
import { startSimulation } from './simulation.ts';
import type { Peer } from './testing/peer.ts';
import { answerJoin, readUplink } from './testing/peer.ts';
import type { TestServer } from './testing/server.ts';
import { startTestServer } from './testing/server.ts';

const random = seededRandom(21);
const planned = planNetwork({ gateways: 2, devices: 6, random });
const { latitude, longitude } = planned.gateways[0]!;
/** All devices next to the first gateway, so that the outcome is not random. */
const plan = { ...planned, devices: planned.devices.map((device) => ({ ...device, latitude, longitude, lossDb: 0 })) };

/**
 * A server that accepts joins of the planned devices through the first gateway that receives them, and reads their
 * uplinks.
 */
function network(
  devices: readonly DeviceDescription[],
  onData: (devEUI: string, data: Uint8Array, fCnt: number) => void,
) {
  const peers = new Map<string, { devEUI: string; peer: Peer }>();
  const answered = new Set<string>();

  function join(request: JoinRequestFrame, push: PushData, server: TestServer): void {
    const [uplink] = uplinksOf(push).frames;
    const { nwkKey = '', appKey = nwkKey, macVersion } = devices.find(({ devEUI }) => devEUI === request.devEUI)!;
    const root = { nwkKey: Uint8Array.fromHex(nwkKey), appKey: Uint8Array.fromHex(appKey) };
    const devAddr = request.devEUI.slice(-8);
    const dlSettings = { optNeg: macVersion === '1.1.0' };
    const { phyPayload, peer } = answerJoin(uplink!, root, { devAddr, joinNonce: 1, dlSettings });
    const first = !answered.has(uplink!.phyPayload.toHex());
    answered.add(uplink!.phyPayload.toHex());
    if (!first) return;
    peers.set(devAddr, { devEUI: request.devEUI, peer });
    const { rxpk } = push;
    const { tmst, freq, datr } = rxpk[0] as { tmst: number; freq: number; datr: string };
    server.sendDownlink(push.gatewayID, {
      tmst: (tmst + 5_000_000) % 2 ** 32,
      freq,
      modu: 'LORA',
      datr,
      codr: '4/5',
      ipol: true,
      powe: 14,
      data: phyPayload.toBase64(),
    });
  }

  function data(frame: DataFrame, push: PushData): void {
    const { devEUI, peer } = peers.get(frame.devAddr)!;
    const { phyPayload, txInfo } = uplinksOf(push).frames[0]!;
    const channel = [868_100_000, 868_300_000, 868_500_000].indexOf(txInfo!.frequency);
    const dataRate = 12 - txInfo!.loRaModulationInfo!.spreadingFactor;
    onData(devEUI, readUplink(peer, { phyPayload, channel, dataRate }, { fCnt: frame.fCnt }).data, frame.fCnt);
  }

  return (push: PushData, server: TestServer) => {
    for (const { phyPayload } of uplinksOf(push).frames) {
      const frame = decodeFrame(phyPayload);
      if (frame.mType === 'JoinRequest') join(frame, push, server);
      else if (isDataFrame(frame)) data(frame, push);
    }
  };
}

describe('a simulation', () => {
  it('joins its devices and sends measurements, except for the device with a wrong key', async () => {
    const received = new Map<string, Set<number>>();
    const refused = Promise.withResolvers<void>();
    const spoken = Promise.withResolvers<void>();
    const serve = network(plan.devices, (devEUI, data, fCnt) => {
      assert.ok(data.length > 0);
      received.set(devEUI, (received.get(devEUI) ?? new Set()).add(fCnt));
      if (received.size === 5 && [...received.values()].every(({ size }) => size >= 2)) spoken.resolve();
    });
    await using server = await startTestServer((push, self) => {
      try {
        serve(push, self);
      } catch (error) {
        if (!/MIC of the join-request/.test(String(error))) throw error;
        refused.resolve();
      }
    });
    await using simulation = await startSimulation({
      server: server.address,
      plan,
      rate: 30,
      startWithinMs: 50,
      random,
    });
    await Promise.all([spoken.promise, refused.promise]);
    const wrong = plan.devices.find(({ wrongKey }) => wrongKey)!;
    assert.equal(received.has(wrong.devEUI), false);
    const { counts, gateways } = simulation;
    assert.equal(counts.joined, 5);
    assert.ok(counts.joinRequests >= 6 && counts.uplinks >= 10);
    assert.ok(gateways.every((gateway) => gateway.counts.pullsAcknowledged > 0));
    assert.equal(simulation.network.missed, 0);
  });
});
