import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FrameError } from '../errors.ts';
import { decodeMacCommands, encodeMacCommands, macCommandToJson } from './codec.ts';
import { macCommand, macCommandsDown, macCommandsUp } from './registry.ts';

describe('decodeMacCommands', () => {
  for (const direction of ['up', 'down'] as const) {
    it(`throws only FrameError for random bytes ${direction}, and encodes what it decodes`, () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 60 }), (noise) => {
          try {
            const commands = decodeMacCommands(direction, noise);
            const written = encodeMacCommands(direction, commands);
            assert.equal(written.length, noise.length);
            assert.deepEqual(decodeMacCommands(direction, written), commands);
          } catch (error) {
            assert.ok(error instanceof FrameError, String(error));
          }
        }),
        { numRuns: 2000 },
      );
    });
  }

  it('ends at an unknown command and returns the remaining bytes', () => {
    assert.deepEqual(decodeMacCommands('up', Uint8Array.fromHex('0280010203')), [
      { cid: 2, name: 'LinkCheckReq', payload: null },
      { cid: 0x80, name: 'Proprietary', payload: { bytes: Uint8Array.fromHex('010203') } },
    ]);
    assert.deepEqual(decodeMacCommands('up', Uint8Array.fromHex('7f05')), [
      { cid: 0x7f, name: 'Unknown', payload: { bytes: Uint8Array.fromHex('05') } },
    ]);
  });

  it('reads the device that a relay received, and its levels', () => {
    const bytes = Uint8Array.fromHex('4604030201be00');
    const [received] = decodeMacCommands('up', bytes);
    const payload = { devAddr: '01020304', worSNR: 10, worRSSI: -20 };
    assert.deepEqual(received, { cid: 0x46, name: 'NotifyNewEndDeviceReq', payload });
    assert.deepEqual(encodeMacCommands('up', [received]), bytes);
    const faint = decodeMacCommands('up', Uint8Array.fromHex('46ffffffffe00f'))[0]?.payload;
    assert.deepEqual(faint, { devAddr: 'ffffffff', worSNR: -20, worRSSI: -142 });
  });

  it('refuses every incomplete command', () => {
    for (const [direction, table] of [
      ['up', macCommandsUp],
      ['down', macCommandsDown],
    ] as const) {
      for (const [name, { cid, layout }] of Object.entries(table)) {
        if (layout)
          assert.throws(
            () => decodeMacCommands(direction, new Uint8Array(layout.size).fill(cid, 0, 1)),
            FrameError,
            name,
          );
      }
    }
  });
});

describe('encodeMacCommands', () => {
  it('refuses values that do not fit, missing values and commands of the other direction', () => {
    const encode = (command: Parameters<typeof encodeMacCommands>[1][number]) => () =>
      encodeMacCommands('down', [command]);
    assert.throws(encode(macCommand('RXTimingSetupReq', { delay: 16 })), { name: 'FrameError', field: 'delay' });
    assert.throws(
      encode(macCommand('NewChannelReq', { chIndex: 3, freq: 868_100_050, maxDR: 5, minDR: 0 })),
      FrameError,
    );
    assert.throws(
      encode(macCommand('NewChannelReq', { chIndex: 3, freq: 1_500_000_000, maxDR: 5, minDR: 0 })),
      FrameError,
    );
    assert.throws(encode(macCommand('LinkCheckReq')), FrameError);
    assert.throws(encode({ cid: 3, name: 'LinkADRReq', payload: {} as never }), {
      name: 'FrameError',
      field: 'dataRate',
    });
  });

  it('leaves reserved bits zero', () => {
    const ones = decodeMacCommands('up', Uint8Array.fromHex('03ff06ffff'));
    assert.equal(encodeMacCommands('up', ones).toHex(), '030706ff3f');
  });
});

describe('macCommandToJson', () => {
  const show = (direction: 'up' | 'down', hex: string) =>
    decodeMacCommands(direction, Uint8Array.fromHex(hex)).map(macCommandToJson);

  it('shows answers with the name of their request', () => {
    assert.deepEqual(show('up', '03070620220b01'), [
      { cid: 'LinkADRReq', payload: { channelMaskAck: true, dataRateAck: true, powerAck: true } },
      { cid: 'DevStatusReq', payload: { battery: 0x20, margin: -30 } },
      { cid: 'RekeyInd', payload: { devLoRaWANVersion: { minor: 1 } } },
    ]);
    assert.deepEqual(show('down', '0101'), [{ cid: 'ResetInd', payload: { servLoRaWANVersion: { minor: 1 } } }]);
  });

  it('shows groups, masks, times in nanoseconds and raw bytes', () => {
    assert.deepEqual(show('down', '0350010041'), [
      {
        cid: 'LinkADRReq',
        payload: {
          dataRate: 5,
          txPower: 0,
          chMask: [true, ...Array.from({ length: 15 }, () => false)],
          redundancy: { chMaskCntl: 4, nbRep: 1 },
        },
      },
    ]);
    assert.deepEqual(show('down', '0d0100000080'), [
      { cid: 'DeviceTimeReq', payload: { timeSinceGPSEpoch: 1_500_000_000 } },
    ]);
    assert.deepEqual(show('down', '800102'), [{ cid: 'CID(128)', payload: { bytes: 'AQI=' } }]);
  });
});
