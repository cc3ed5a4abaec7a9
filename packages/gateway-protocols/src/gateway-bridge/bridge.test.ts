import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, gw } from '@hilltop/protobuf';
import fc from 'fast-check';
import { PacketError } from '../packet-error.ts';
import { bridgeGateway, writeBridgeConfiguration, writeBridgeDownlink } from './bridge.ts';
import type { BridgeFormat } from './format.ts';
import { answer, channels, gatewayID, idBytes, phyPayload, read, readUp, received } from './testing/samples.ts';
import { readBridgeTopic } from './topic.ts';

const text = (json: unknown) => new TextEncoder().encode(JSON.stringify(json));
const formats: BridgeFormat[] = [3, 4].flatMap((version) =>
  (['json', 'protobuf'] as const).map((encoding) => ({ version: version as 3 | 4, encoding })),
);

for (const format of formats) {
  describe(`version ${format.version} in ${format.encoding}`, () => {
    it('contains an uplink', () => {
      const { format: seen, frame } = readUp(bridgeGateway.uplink(format, received));
      assert.deepEqual(seen, format);
      assert.deepEqual(frame, received);
    });

    it('contains a downlink', () => {
      const {
        items,
        gatewayID: id,
        downlinkID,
      } = bridgeGateway.readDownlink(gatewayID, writeBridgeDownlink(format, answer));
      const named = answer.items.map((item) => ({ ...item, txInfo: { ...item.txInfo, gatewayID: idBytes } }));
      assert.deepEqual(JSON.parse(JSON.stringify(items)), JSON.parse(JSON.stringify(named)));
      assert.equal(id.toHex(), gatewayID);
      assert.equal(downlinkID.toHex().slice(0, 8), 'a1b2c3d4');
    });

    it('contains a configuration', () => {
      assert.deepEqual(
        bridgeGateway.readConfiguration(gatewayID, writeBridgeConfiguration(format, channels)),
        channels,
      );
    });

    it('accepts a frequency a few Hz off its channel', () => {
      const txInfo = { ...received.txInfo!, frequency: 868_100_087 };
      assert.equal(readUp(bridgeGateway.uplink(format, { ...received, txInfo })).frame.txInfo?.frequency, 868_100_000);
    });

    it('accepts a code rate that LoRa does not have', () => {
      const loRaModulationInfo = { ...received.txInfo!.loRaModulationInfo!, codeRate: '3/4' };
      const txInfo = { ...received.txInfo!, loRaModulationInfo };
      const { frame } = readUp(bridgeGateway.uplink(format, { ...received, txInfo }));
      assert.equal(frame.phyPayload.toHex(), phyPayload.toHex());
    });

    it('supports LR-FHSS', () => {
      const lrFHSSModulationInfo = { operatingChannelWidth: 137_000, codeRate: '2/3', gridSteps: 52 };
      const txInfo = { frequency: 868_100_000, modulation: 'LR_FHSS' as const, lrFHSSModulationInfo };
      assert.deepEqual(readUp(bridgeGateway.uplink(format, { ...received, txInfo })).frame.txInfo, txInfo);
    });

    it('belongs to the gateway in its topic', () => {
      const foreign = {
        ...received,
        rxInfo: { ...received.rxInfo!, gatewayID: Uint8Array.fromHex('0102030405060709') },
      };
      assert.throws(() => readUp(bridgeGateway.uplink(format, foreign)), { fault: 'foreign-id' });
    });
  });
}

describe('JSON as bridges write it', () => {
  it('of version 3', () => {
    const { frame } = readUp(
      text({
        phyPayload: phyPayload.toBase64(),
        txInfo: {
          frequency: 868_100_000,
          modulation: 'LORA',
          loRaModulationInfo: { bandwidth: 125, spreadingFactor: 7, codeRate: '4/5', polarizationInversion: false },
        },
        rxInfo: {
          gatewayID: 'AQIDBAUGBwg=',
          time: '2026-01-02T03:04:05Z',
          timeSinceGPSEpoch: '1300000000s',
          rssi: -60,
          loRaSNR: 7,
          channel: 2,
          rfChain: 1,
          board: 1,
          antenna: 1,
          location: null,
          fineTimestampType: 'NONE',
          context: 'AQIDBA==',
          uplinkID: '',
        },
      }),
    );
    assert.deepEqual(frame, received, 'bridges that do not report the CRC status forward whole frames only');
  });

  it('of version 4', () => {
    const { format, frame } = readUp(
      text({
        phyPayload: phyPayload.toBase64(),
        txInfo: {
          frequency: 868_100_000,
          modulation: { lora: { bandwidth: 125_000, spreadingFactor: 7, codeRate: 'CR_4_5' } },
        },
        rxInfo: {
          gatewayId: gatewayID,
          uplinkId: 4_217_106_255,
          gwTime: '2026-01-02T03:04:05+00:00',
          nsTime: null,
          timeSinceGpsEpoch: '1300000000s',
          fineTimeSinceGpsEpoch: '1300000000.123456789s',
          rssi: -60,
          snr: 7,
          channel: 2,
          rfChain: 1,
          board: 1,
          antenna: 1,
          context: 'AQIDBA==',
          metadata: { region_config_id: 'eu868' },
          crcStatus: 'CRC_OK',
        },
      }),
    );
    assert.deepEqual(format, { version: 4, encoding: 'json' });
    const { plainFineTimestamp, ...rest } = frame.rxInfo!;
    assert.equal(plainFineTimestamp?.time?.nanoseconds, 456_789);
    assert.deepEqual({ ...frame, rxInfo: { ...rest, fineTimestampType: 'NONE' } }, received);
  });

  it('contains no null, which strict readers refuse', () => {
    for (const version of [3, 4] as const) {
      const bytes = writeBridgeDownlink({ version, encoding: 'json' }, { ...answer, items: answer.items.slice(1) });
      assert.doesNotMatch(new TextDecoder().decode(bytes), /null/);
    }
  });
});

describe('an invalid message', () => {
  const changed = (change: Partial<gw.UplinkFrame>) =>
    bridgeGateway.uplink({ version: 3, encoding: 'protobuf' }, { ...received, ...change });
  const txInfo = received.txInfo!;

  for (const [title, bytes, fault] of [
    ['nothing', new Uint8Array(), 'foreign-id'],
    ['broken JSON', new TextEncoder().encode('{"rxInfo":'), 'json'],
    ['JSON that is no uplink', text({ rxInfo: { gatewayID: 5 } }), 'field'],
    ['JSON that is not text', Uint8Array.of(0x7b, 0xff, 0x7d), 'json'],
    ['cut off protobuf', changed({}).subarray(0, 40), 'protobuf'],
    ['an empty frame', changed({ phyPayload: new Uint8Array() }), 'field'],
    ['a frame longer than any', changed({ phyPayload: new Uint8Array(256) }), 'field'],
    ['a frequency in MHz', changed({ txInfo: { ...txInfo, frequency: 868 } }), 'field'],
    ['no modulation', changed({ txInfo: { frequency: 868_100_000, modulation: 'LORA' } }), 'field'],
    [
      'a context as large as a picture',
      changed({ rxInfo: { ...received.rxInfo!, context: new Uint8Array(9000) } }),
      'field',
    ],
    ['a level that no radio measures', changed({ rxInfo: { ...received.rxInfo!, loRaSNR: 1e11 } }), 'field'],
    [
      'a fine time of the far future',
      text({ rxInfo: { gatewayId: gatewayID, fineTimeSinceGpsEpoch: '1e9s' } }),
      'field',
    ],
  ] as const)
    it(`refuses ${title}`, () => assert.throws(() => readUp(bytes), { name: 'PacketError', fault }));

  it('limits the metadata of statistics', () => {
    const metaData = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key ${index}`, 'x'.repeat(1000)]));
    const location = { latitude: 91, longitude: 0, altitude: 0 };
    const stats = create(gw.GatewayStats, { gatewayID: idBytes, metaData, location, statsID: new Uint8Array(4000) });
    const message = read('event/stats', bridgeGateway.stats({ version: 3, encoding: 'protobuf' }, stats));
    assert.equal(message.name, 'stats');
    assert.equal(Object.keys(message.stats.metaData).length, 32);
    assert.equal(message.stats.metaData['key 0']?.length, 256);
    assert.equal(message.stats.location, null);
    assert.equal(message.stats.statsID.length, 0);
  });

  it('refuses other topics', () => {
    for (const name of ['exec', 'raw', 'mesh'])
      assert.deepEqual(read(`event/${name}`, Uint8Array.of(1)), { name: 'unused' });
    assert.throws(() => read('event/other', new Uint8Array()), { fault: 'topic' });
    assert.throws(() => read('command/down', new Uint8Array()), { fault: 'topic' });
  });

  it('throws only PacketError, whatever it reads', () => {
    const parts = ['event/up', 'event/stats', 'event/ack', 'state/conn'];
    const good = formats.map((format) => bridgeGateway.uplink(format, received));
    const corrupted = fc
      .tuple(fc.constantFrom(...good), fc.nat(), fc.integer({ min: 0, max: 255 }))
      .map(([bytes, at, byte]) => bytes.with(at % bytes.length, byte));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), corrupted), (bytes) => {
        for (const part of parts) {
          try {
            read(part, bytes);
          } catch (error) {
            assert.ok(error instanceof PacketError, String(error));
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('topics', () => {
  it('contain the gateway, and in version 4 its region', () => {
    assert.deepEqual(
      { ...readBridgeTopic('eu868/gateway/0102030405060708/event/up') },
      { prefix: 'eu868', gatewayID, part: 'event', name: 'up' },
    );
    assert.equal(readBridgeTopic(`gateway/${gatewayID}/state/conn`)?.prefix, '');
    for (const other of [
      'gateway/0102030405060708',
      'gateway/010203040506070A/event/up',
      'a/b/gateway/0102030405060708/event/up',
      'gateway/0102030405060708/event/up/more',
      '/gateway/0102030405060708/event/up',
      'application/1/device/0102030405060708/event/up',
    ])
      assert.equal(readBridgeTopic(other), undefined, other);
  });
});
