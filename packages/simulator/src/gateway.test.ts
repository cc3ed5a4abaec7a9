import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statsOf, uplinksOf } from '@hilltop/gateway-protocols';
import { createDevice } from './device/device.ts';
import type { GatewayOptions } from './gateway.ts';
import { startGateway } from './gateway.ts';
import { seededRandom } from './random.ts';
import { createManualClock } from './testing/manual-clock.ts';
import { startTestServer } from './testing/server.ts';

const gatewayID = 'b827ebfffe112233';
const quiet = {
  gatewayID,
  keepaliveMs: 0,
  statIntervalMs: 0,
  random: seededRandom(1),
} satisfies Partial<GatewayOptions>;

const device = createDevice({
  devEUI: '0a1b2c3d4e5f6071',
  session: { devAddr: '26012345', keys: { nwkSKey: '11'.repeat(16), appSKey: '22'.repeat(16) } },
  random: seededRandom(1),
});
const txpk = {
  freq: 868.1,
  rfch: 0,
  powe: 14,
  ant: 0,
  brd: 0,
  modu: 'LORA',
  datr: 'SF7BW125',
  codr: '4/5',
  ipol: true,
  size: 3,
  data: 'AQID',
} as const;

describe('a gateway', () => {
  it('forwards what it receives and reports that it was acknowledged', async () => {
    await using server = await startTestServer();
    await using gateway = await startGateway({ ...quiet, server: server.address });
    const transmission = device.uplink({ fPort: 1, data: Uint8Array.of(1) });
    const { tmst, acknowledged } = gateway.receiveFrame(transmission, { rssi: -87.4, snr: 5.3 });
    const { frames, broken } = uplinksOf(await server.nextPush());
    assert.deepEqual(broken, []);
    const { txInfo, rxInfo, phyPayload } = frames[0]!;
    assert.deepEqual(phyPayload, transmission.phyPayload);
    assert.equal(txInfo?.frequency, transmission.frequency);
    assert.deepEqual(txInfo?.loRaModulationInfo?.spreadingFactor, 7);
    assert.deepEqual([rxInfo?.rssi, rxInfo?.loRaSNR], [-87, 5.25]);
    assert.equal(Number.parseInt(rxInfo!.context.toHex(), 16), tmst);
    assert.equal(await acknowledged, true);
    assert.deepEqual([gateway.counts.pushed, gateway.counts.acknowledged], [1, 1]);
  });

  it('gives up an uplink without an acknowledgement', async () => {
    await using server = await startTestServer();
    server.acknowledging = false;
    const clock = createManualClock();
    await using gateway = await startGateway({ ...quiet, server: server.address, clock });
    const first = gateway.receiveFrame(device.uplink());
    await server.nextPush();
    clock.advance(4000);
    server.acknowledging = true;
    const second = gateway.receiveFrame(device.uplink());
    await server.nextPush();
    assert.equal(await second.acknowledged, true);
    clock.advance(3000);
    assert.equal(await first.acknowledged, false);
    assert.deepEqual([gateway.counts.pushed, gateway.counts.acknowledged], [2, 1]);
  });

  it('pulls, receives downlinks and acknowledges them', async () => {
    await using server = await startTestServer();
    await using gateway = await startGateway({ ...quiet, server: server.address });
    await gateway.online();
    server.sendDownlink(gatewayID, { imme: true, ...txpk }, 77);
    const downlink = await gateway.nextDownlink();
    assert.deepEqual(downlink.phyPayload, Uint8Array.of(1, 2, 3));
    assert.deepEqual(downlink.txpk, { imme: true, ...txpk });
    const ack = await server.nextTxAck();
    assert.deepEqual([ack.token, ack.error, ack.gatewayID], [77, '', gatewayID]);
    assert.deepEqual([gateway.counts.downlinks, gateway.counts.emitted], [1, 1]);
  });

  it('refuses downlinks that arrive too late or far too early', async () => {
    await using server = await startTestServer();
    await using gateway = await startGateway({ ...quiet, server: server.address });
    await gateway.online();
    const at = (aheadUs: number) => (gateway.concentratorTime() + aheadUs + 2 ** 32) % 2 ** 32;
    const errors: string[] = [];
    for (const aheadUs of [-1_000_000, 60_000_000, 5_000_000]) {
      server.sendDownlink(gatewayID, { tmst: at(aheadUs), ...txpk });
      errors.push((await server.nextTxAck()).error);
    }
    assert.deepEqual(errors, ['TOO_LATE', 'TOO_EARLY', '']);
    assert.deepEqual([gateway.counts.downlinks, gateway.counts.emitted], [3, 1]);
  });

  it('answers as configured, or not at all', async () => {
    await using server = await startTestServer();
    const txAck = (_: unknown, nth: number) => ['COLLISION_PACKET', null, ''][nth - 1]!;
    await using gateway = await startGateway({ ...quiet, server: server.address, txAck });
    await gateway.online();
    for (const token of [1, 2, 3]) server.sendDownlink(gatewayID, { imme: true, ...txpk }, token);
    const [first, third] = [await server.nextTxAck(), await server.nextTxAck()];
    assert.deepEqual([first.token, first.error, third.token, third.error], [1, 'COLLISION_PACKET', 3, '']);
    assert.equal((await gateway.nextDownlink()).refusal, 'COLLISION_PACKET');
    assert.equal(server.txAcks, 2);
  });

  it('of protocol version 1 sends no TX_ACK', async () => {
    await using server = await startTestServer();
    await using gateway = await startGateway({ ...quiet, server: server.address, version: 1 });
    await gateway.online();
    server.sendDownlink(gatewayID, { imme: true, ...txpk });
    await gateway.nextDownlink();
    const { acknowledged } = gateway.receiveFrame(device.uplink());
    assert.equal((await server.nextPush()).version, 1);
    assert.equal(await acknowledged, true);
    assert.equal(server.txAcks, 0);
  });

  it('counts invalid datagrams and continues', async () => {
    await using server = await startTestServer();
    await using gateway = await startGateway({ ...quiet, server: server.address });
    await gateway.online();
    server.sendRaw(gatewayID, Uint8Array.of(9, 9));
    server.sendDownlink(gatewayID, { freq: 868.1 });
    server.sendDownlink(gatewayID, { imme: true, ...txpk });
    await gateway.nextDownlink();
    assert.equal(gateway.counts.broken, 2);
  });

  it('reports statistics since the last report, with its location', async () => {
    await using server = await startTestServer();
    const position = { latitude: 52.1, longitude: 5.2, altitude: 12 };
    const clock = createManualClock();
    await using gateway = await startGateway({
      ...quiet,
      server: server.address,
      position,
      clock,
      statIntervalMs: 30_000,
    });
    await gateway.receiveFrame(device.uplink()).acknowledged;
    await server.nextPush();
    clock.advance(30_000);
    const stats = statsOf(await server.nextPush());
    assert.deepEqual(stats?.location, { ...position, source: 'GPS', accuracy: 0 });
    assert.equal(stats?.rxPacketsReceivedOK, 1);
    assert.deepEqual(stats?.time, clock.now());
    await gateway.sendStat();
    assert.equal(statsOf(await server.nextPush())?.rxPacketsReceived, 0);
  });

  it('keeps its path open', async () => {
    await using server = await startTestServer();
    const clock = createManualClock();
    await using gateway = await startGateway({ ...quiet, server: server.address, clock, keepaliveMs: 10_000 });
    await gateway.online();
    clock.advance(30_000);
    await gateway.receiveFrame(device.uplink()).acknowledged;
    assert.equal(gateway.counts.pulls, 4);
  });

  it('rejects waiting calls when it stops', async () => {
    await using server = await startTestServer();
    server.acknowledging = false;
    const gateway = await startGateway({ ...quiet, server: server.address });
    const { acknowledged } = gateway.receiveFrame(device.uplink());
    const downlink = assert.rejects(gateway.nextDownlink(), /before it stopped/);
    await gateway.stop();
    assert.equal(await acknowledged, false);
    await downlink;
    assert.equal(await gateway.receiveFrame(device.uplink()).acknowledged, false);
    await gateway.stop();
  });

  it('refuses a server address without port', async () => {
    await assert.rejects(startGateway({ ...quiet, server: 'localhost' }), /write it as host:port/);
  });
});
