import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, gw, ns } from '@hilltop/protobuf';
import { createRig, gatewayIDs, type RigOptions } from '../testing/rig.ts';

const [gatewayID] = gatewayIDs;
const id = Uint8Array.fromHex(gatewayID);
const loRa = (spreadingFactor: number, bandwidth = 125) => ({ loRa: { spreadingFactor, bandwidth, codeRate: '4/5' } });

describe('gateway configuration', () => {
  const report = (configVersion: string) => create(gw.GatewayStats, { gatewayID: id, configVersion });

  it('is sent to a gateway that reports another version than its profile, until it reports that one', async () => {
    const rig = await createRig();
    const { service } = rig.server;
    const pushed: gw.GatewayConfiguration[] = [];
    rig.openPath({ link: 'mqtt', isProven: true, send: () => true, configure: (given) => pushed.push(given) });
    await rig.server.gatewayStats(report('own'));
    assert.equal(pushed.length, 0, 'no profile says anything');

    const gatewayProfile = create(ns.GatewayProfile, {
      channels: [0, 2, 77],
      extraChannels: [
        { modulation: 'LORA', frequency: 868_300_000, bandwidth: 250, spreadingFactors: [7] },
        { modulation: 'FSK', frequency: 868_800_000, bandwidth: 125, bitrate: 50_000 },
      ],
      statsInterval: 10_000,
    });
    const { id: profileID } = await service.createGatewayProfile({ gatewayProfile });
    const { gateway } = await service.getGateway({ id });
    await service.updateGateway({ gateway: { ...gateway!, gatewayProfileId: profileID } });
    await rig.server.gatewayStats(report('own'));
    const [first] = pushed;
    const narrow = { bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] };
    assert.deepEqual(
      first?.channels.map(({ frequency, loRaModulationConfig, fskModulationConfig }) => ({
        frequency,
        ...loRaModulationConfig,
        ...fskModulationConfig,
      })),
      [
        { frequency: 868_100_000, ...narrow },
        { frequency: 868_500_000, ...narrow },
        { frequency: 868_300_000, bandwidth: 250, spreadingFactors: [7] },
        { frequency: 868_800_000, bandwidth: 125, bitrate: 50_000 },
      ],
    );
    assert.equal(first?.statsInterval, 10_000);
    await rig.server.gatewayStats(report(first?.version ?? ''));
    assert.equal(pushed.length, 1, 'it has what it shall have');
    await service.updateGatewayProfile({ gatewayProfile: { ...gatewayProfile, id: profileID, channels: [1] } });
    await rig.server.gatewayStats(report(first?.version ?? ''));
    assert.equal(pushed.length, 2);
    assert.notEqual(pushed[1]?.version, first?.version);
  });

  it('contains the channels of the network without a profile', async () => {
    const extraChannels = [867_100_000, 864_100_000].map((frequency) => ({ frequency, minDR: 0, maxDR: 5 }));
    const cases: [RigOptions, number[]][] = [
      [{ region: 'EU868', settings: { extraChannels } }, [868_100_000, 864_100_000]],
      [{ region: 'US915', settings: { enabledChannels: [8, 9, 65] } }, [903_900_000, 904_600_000]],
      [{ region: 'US915' }, [902_300_000, 903_000_000]],
    ];
    for (const [options, frequencies] of cases) {
      const rig = await createRig(options);
      const { version, channels } = await rig.server.configurationOf(gatewayID);
      assert.equal(version, '');
      const loRa = channels.filter(({ loRaModulationConfig }) => loRaModulationConfig);
      assert.deepEqual([loRa[0]?.frequency, loRa.at(-1)?.frequency], frequencies);
    }
  });
});

describe('gateway statistics', () => {
  it('reach the application with counts per data-rate, and update the last contact of the gateway', async () => {
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
    const statsCall = rig.application.calls.find((one) => one.event === 'stats');
    assert.deepEqual(statsCall?.stats.rxPacketsPerDr, { 0: 1, 5: 3 });
    assert.deepEqual(statsCall?.stats.txPacketsPerDr, { 7: 2 });
    assert.deepEqual(statsCall?.stats.metadata, { model: 'x', ip: '10.1.2.3' });
    assert.equal(statsCall?.stats.rxPacketsReceivedOk, 4);
    const { firstSeenAt, lastSeenAt } = await rig.server.service.getGateway({ id });
    assert.deepEqual([firstSeenAt, lastSeenAt], [rig.clock.now(), rig.clock.now()]);
    await rig.clock.advance(31_000);
    await rig.server.gatewaySeen(gatewayID);
    const later = await rig.server.service.getGateway({ id });
    assert.deepEqual([later.firstSeenAt, later.lastSeenAt], [firstSeenAt, rig.clock.now()]);
  });

  for (const { title, seconds, offset } of [
    { title: 'is off', seconds: -249_177_600, offset: -249_177_600_000 },
    { title: 'is off by less than the settings allow', seconds: -1, offset: null },
  ]) {
    it(`report that the clock of the gateway ${title}`, async () => {
      const rig = await createRig();
      const time = new Date(rig.clock.now().getTime() + seconds * 1000);
      await rig.server.gatewayStats(create(gw.GatewayStats, { gatewayID: id, time }), true);
      assert.equal(await rig.server.clockOffsetOf(gatewayID), offset);
      assert.equal(rig.counts.get('gateway_clocks_off'), offset === null ? undefined : 1);
    });
  }

  it('of a gateway whose clock is correct again end the report', async () => {
    const rig = await createRig();
    await rig.server.gatewaySeen(gatewayID, new Date('2018-12-29T12:00:00Z'));
    assert.notEqual(await rig.server.clockOffsetOf(gatewayID), null);
    await rig.clock.advance(61_000);
    await rig.server.gatewaySeen(gatewayID, rig.clock.now());
    assert.equal(await rig.server.clockOffsetOf(gatewayID), null);
  });

  it('move the gateway when they contain a position, and do not move it otherwise', async () => {
    const rig = await createRig();
    const location = { latitude: 1, longitude: 2, altitude: 3, source: 'GPS', accuracy: 0 } as const;
    await rig.server.gatewayStats(create(gw.GatewayStats, { gatewayID: id, location }));
    await rig.server.gatewayStats(create(gw.GatewayStats, { gatewayID: id }));
    assert.deepEqual((await rig.server.service.getGateway({ id })).gateway?.location, location);
  });

  it('count frequencies and data-rates of the network separately, and forged ones together', async () => {
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
    const statsCall = rig.application.calls.find((one) => one.event === 'stats');
    assert.deepEqual(statsCall?.stats.rxPacketsPerFrequency, { 0: 1000, 867100000: 5, 868100000: 4 });
    assert.deepEqual(statsCall?.stats.txPacketsPerFrequency, { 0: 1000, 868100000: 7, 869525000: 6 });
    assert.deepEqual(statsCall?.stats.txPacketsPerStatus, { OK: 2, TOO_LATE: 1, INTERNAL_ERROR: 1000 });
  });

  it('of an unknown gateway are counted and dropped', async () => {
    const rig = await createRig();
    await rig.server.gatewayStats(create(gw.GatewayStats, { gatewayID: new Uint8Array(8) }));
    assert.deepEqual(rig.events(), []);
    assert.equal(rig.counts.get('gateway_stats_unknown'), 1);
  });
});
