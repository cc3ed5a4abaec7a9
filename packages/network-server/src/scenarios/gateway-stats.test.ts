import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, gw } from '@hilltop/protobuf';
import { createRig, gatewayIDs } from '../testing/rig.ts';

const [gatewayID] = gatewayIDs;
const id = Uint8Array.fromHex(gatewayID);
const loRa = (spreadingFactor: number, bandwidth = 125) => ({ loRa: { spreadingFactor, bandwidth, codeRate: '4/5' } });

describe('gateway statistics', () => {
  it('reach the application with counts per data-rate, and say that the gateway is alive', async () => {
    const rig = await createRig();
    assert.equal((await rig.server.service.getGateway({ id })).lastSeenAt, null);
    await rig.server.gatewayStats(
      create(gw.GatewayStats, {
        gatewayID: id,
        ip: '10.1.2.3',
        rxPacketsReceived: 5,
        rxPacketsReceivedOK: 4,
        metaData: { model: 'x' },
        rxPacketsPerFrequency: { 868100000: 4 },
        rxPacketsPerModulation: [
          { modulation: loRa(7), count: 3 },
          { modulation: loRa(12), count: 1 },
          { modulation: loRa(7, 500), count: 9 },
        ],
        txPacketsPerModulation: [{ modulation: { fsk: { datarate: 50_000 } }, count: 2 }],
        txPacketsPerStatus: { OK: 2 },
      }),
    );
    const told = rig.application.told.find((one) => one.event === 'stats');
    assert.deepEqual(told?.stats.rxPacketsPerDr, { 0: 1, 5: 3 });
    assert.deepEqual(told?.stats.txPacketsPerDr, { 7: 2 });
    assert.deepEqual(told?.stats.metadata, { model: 'x', ip: '10.1.2.3' });
    assert.equal(told?.stats.rxPacketsReceivedOk, 4);
    const { firstSeenAt, lastSeenAt } = await rig.server.service.getGateway({ id });
    assert.deepEqual([firstSeenAt, lastSeenAt], [rig.clock.now(), rig.clock.now()]);
    await rig.clock.advance(31_000);
    await rig.server.gatewaySeen(gatewayID);
    const later = await rig.server.service.getGateway({ id });
    assert.deepEqual([later.firstSeenAt, later.lastSeenAt], [firstSeenAt, rig.clock.now()]);
  });

  it('move the gateway when they bring a position, and leave it without one', async () => {
    const rig = await createRig();
    const location = { latitude: 1, longitude: 2, altitude: 3, source: 'GPS', accuracy: 0 } as const;
    await rig.server.gatewayStats(create(gw.GatewayStats, { gatewayID: id, location }));
    await rig.server.gatewayStats(create(gw.GatewayStats, { gatewayID: id }));
    assert.deepEqual((await rig.server.service.getGateway({ id })).gateway?.location, location);
  });

  it('tell apart what the network has, and nothing a gateway makes up', async () => {
    const rig = await createRig();
    const madeUp = Object.fromEntries(Array.from({ length: 1000 }, (_, nth) => [String(nth * 7), 1]));
    await rig.server.gatewayStats(
      create(gw.GatewayStats, {
        gatewayID: id,
        rxPacketsPerFrequency: { ...madeUp, 868100000: 4, 867100000: 5 },
        txPacketsPerFrequency: { ...madeUp, 869525000: 6, 868100000: 7 },
        txPacketsPerStatus: { OK: 2, TOO_LATE: 1, ...madeUp },
      }),
    );
    const told = rig.application.told.find((one) => one.event === 'stats');
    assert.deepEqual(told?.stats.rxPacketsPerFrequency, { 0: 1000, 867100000: 5, 868100000: 4 });
    assert.deepEqual(told?.stats.txPacketsPerFrequency, { 0: 1000, 868100000: 7, 869525000: 6 });
    assert.deepEqual(told?.stats.txPacketsPerStatus, { OK: 2, TOO_LATE: 1, INTERNAL_ERROR: 1000 });
  });

  it('of an unknown gateway are counted and dropped', async () => {
    const rig = await createRig();
    await rig.server.gatewayStats(create(gw.GatewayStats, { gatewayID: new Uint8Array(8) }));
    assert.deepEqual(rig.events(), []);
    assert.equal(rig.counts.get('gateway_stats_unknown'), 1);
  });
});
