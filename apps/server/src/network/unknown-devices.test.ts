import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { ReceivedDevice, UnknownDeviceRows } from './unknown-device-rows.ts';
import { UnknownDevices } from './unknown-devices.ts';

const eu868 = { networkServerID: 1, region: 'EU868' };

describe('unknown devices', () => {
  let ms: number;
  let leftOut: number;
  let isBroken: boolean;
  let added: { received: readonly ReceivedDevice[]; leftOut: ReadonlyMap<string, number> }[];
  let devices: UnknownDevices;
  const create = (more: Partial<ConstructorParameters<typeof UnknownDevices>[0]> = {}) =>
    new UnknownDevices({
      rows: {
        add: async (batch: (typeof added)[number]) => {
          if (isBroken) throw new Error('disk full');
          added.push({ ...batch, received: batch.received.map((one) => ({ ...one })) });
        },
      } as unknown as UnknownDeviceRows,
      clock: { now: () => new Date(ms) },
      metrics: { count: () => (leftOut += 1) },
      log: { error: () => undefined },
      isEnabled: true,
      ...more,
    });
  const hear = (devEUI: string, gatewayID = 'a', rssi = -100) =>
    devices.note({ devEUI, joinEUI: '', devNonce: 1, receptions: [{ gatewayID, rssi, snr: 1 }] }, eu868);
  const saved = async () => {
    await devices.save();
    return added.at(-1)?.received.map(({ devEUI, times }) => `${devEUI} ${times}`);
  };
  beforeEach(() => {
    [ms, leftOut, isBroken, added] = [1_000_000, 0, false, []];
    devices = create();
  });

  it('are stored with the join-requests since the last time', async () => {
    hear('one');
    hear('one');
    hear('two');
    assert.deepEqual(await saved(), ['one 2', 'two 1']);
    hear('one');
    assert.deepEqual(await saved(), ['one 1']);
    assert.deepEqual(await saved(), []);
  });

  it('are stored later when storing fails', async () => {
    hear('one');
    isBroken = true;
    await assert.rejects(devices.save());
    hear('one');
    isBroken = false;
    assert.deepEqual(await saved(), ['one 2']);
  });

  it('keep the five best gateways, each with its last reception', async () => {
    for (const [index, gatewayID] of ['a', 'b', 'c', 'd', 'e', 'f', 'a'].entries()) hear('one', gatewayID, -80 - index);
    await devices.save();
    const gateways = added[0]?.received[0]?.gateways.map(({ gatewayID, rssi }) => `${gatewayID} ${rssi}`);
    assert.deepEqual(gateways, ['b -81', 'c -82', 'd -83', 'e -84', 'a -86']);
  });

  it('that were received once leave first, and repeated ones stay', async () => {
    devices = create({ most: 3 });
    hear('real');
    hear('real');
    for (let made = 0; made < 50; made += 1) hear(`made up ${made}`);
    assert.deepEqual(await saved(), ['real 2', 'made up 48 1', 'made up 49 1']);
  });

  it('beyond 100 new ones of a gateway in a minute are only counted', async () => {
    for (let made = 0; made < 130; made += 1) hear(`made up ${made}`);
    hear('beside', 'b');
    await devices.save();
    assert.equal(added[0]?.received.length, 101);
    assert.deepEqual([...(added[0]?.leftOut ?? [])], [['a', 30]]);
    assert.equal(leftOut, 30);
    ms += 60_000;
    hear('later');
    assert.deepEqual(await saved(), ['later 1']);
  });

  it('are not remembered when the setting is off', async () => {
    devices = create({ isEnabled: false });
    hear('one');
    assert.deepEqual(await saved(), []);
  });
});
