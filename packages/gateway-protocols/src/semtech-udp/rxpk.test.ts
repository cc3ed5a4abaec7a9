import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, gw, timestamp } from '@hilltop/protobuf';
import type { PushData } from './packet.ts';
import { decodePacket, encodePacket } from './packet.ts';
import { rxpkOf, uplinksOf } from './rxpk.ts';

const gatewayID = 'b827ebfffe112233';

function push(...rxpk: object[]): PushData {
  return { type: 'PUSH_DATA', version: 2, token: 1, gatewayID, rxpk, stat: undefined };
}

const lora = {
  tmst: 3_512_348_611,
  time: '2023-03-01T10:15:30.528002Z',
  freq: 868.3,
  chan: 2,
  rfch: 1,
  brd: 3,
  stat: 1,
  modu: 'LORA',
  datr: 'SF9BW125',
  codr: '4/5',
  rssi: -61,
  lsnr: 8.5,
  size: 14,
  data: 'QAHNqwGAKgAKVSLdgQ0=',
};

describe('uplinksOf', () => {
  it('reads a LoRa frame', () => {
    const { frames, badCRC, withoutCRC, broken } = uplinksOf(push(lora));
    assert.deepEqual({ badCRC, withoutCRC, broken }, { badCRC: 0, withoutCRC: 0, broken: [] });
    assert.deepEqual(frames, [
      create(gw.UplinkFrame, {
        phyPayload: Uint8Array.fromHex('4001cdab01802a000a5522dd810d'),
        txInfo: {
          frequency: 868_300_000,
          modulation: 'LORA',
          loRaModulationInfo: { bandwidth: 125, spreadingFactor: 9, codeRate: '4/5' },
        },
        rxInfo: {
          gatewayID: Uint8Array.fromHex(gatewayID),
          time: timestamp(Date.UTC(2023, 2, 1, 10, 15, 30, 528), 2000),
          rssi: -61,
          loRaSNR: 8.5,
          channel: 2,
          rfChain: 1,
          board: 3,
          context: Uint8Array.fromHex('d15a2fc3'),
          crcStatus: 'CRC_OK',
        },
      }),
    ]);
  });

  it('reads an FSK frame, which has no SNR', () => {
    const { lsnr: _, codr: __, ...rest } = lora;
    const [frame] = uplinksOf(push({ ...rest, modu: 'FSK', datr: 50_000, freq: 868.8 })).frames;
    assert.equal(frame?.txInfo?.modulation, 'FSK');
    assert.deepEqual(frame?.txInfo?.fskModulationInfo, { frequencyDeviation: 0, datarate: 50_000 });
    assert.equal(frame?.txInfo?.loRaModulationInfo, undefined);
    assert.equal(frame?.rxInfo?.loRaSNR, 0);
  });

  for (const [spoken, nominal] of [
    ['1/3', '1/3'],
    ['2/6', '1/3'],
    ['2/3', '2/3'],
    ['4/6', '2/3'],
  ]) {
    it(`reads an LR-FHSS frame with code rate ${spoken}`, () => {
      const [frame] = uplinksOf(push({ ...lora, modu: 'LR-FHSS', datr: 'M0CW137', codr: spoken, hpw: 8 })).frames;
      assert.equal(frame?.txInfo?.modulation, 'LR_FHSS');
      assert.deepEqual(frame?.txInfo?.lrFHSSModulationInfo, {
        operatingChannelWidth: 137_000,
        codeRate: nominal,
        gridSteps: 8,
      });
    });
  }

  it('creates one frame per antenna, with its fine time', () => {
    const { frames } = uplinksOf(
      push({
        ...lora,
        aesk: 2,
        rsig: [
          { ant: 0, chan: 7, rssic: -101, lsnr: -3.2, etime: '7xkP+6rs/F/Y845JaB5pnQ==' },
          { ant: 1, chan: 23, rssic: -99, lsnr: -1, ftime: 186_118_527 },
          { ant: 2, chan: 39, rssic: -98, lsnr: 0 },
        ],
      }),
    );
    const [encrypted, plain, none] = frames.map((frame) => frame.rxInfo);
    assert.equal(frames.length, 3);
    assert.deepEqual([encrypted?.antenna, encrypted?.channel, encrypted?.rssi, encrypted?.loRaSNR], [0, 7, -101, -3.2]);
    assert.equal(encrypted?.fineTimestampType, 'ENCRYPTED');
    assert.deepEqual(encrypted?.encryptedFineTimestamp, {
      aesKeyIndex: 2,
      encryptedNS: Uint8Array.fromHex('ef190ffbaaecfc5fd8f38e49681e699d'),
      fpgaID: new Uint8Array(),
    });
    assert.deepEqual([plain?.antenna, plain?.channel, plain?.fineTimestampType], [1, 23, 'PLAIN']);
    assert.deepEqual(plain?.plainFineTimestamp, {
      time: timestamp(Date.UTC(2023, 2, 1, 10, 15, 30, 186), 118_527),
    });
    assert.deepEqual([none?.antenna, none?.fineTimestampType], [2, 'NONE']);
  });

  it('uses GPS time for the second of a fine time', () => {
    // 2023-03-01T10:15:30.5Z is GPS second 1361700948 (18 leap seconds) and a half.
    const [frame] = uplinksOf(push({ ...lora, time: undefined, tmms: 1_361_700_948_500, ftime: 999_999_999 })).frames;
    assert.equal(frame?.rxInfo?.timeSinceGPSEpoch, 1_361_700_948_500);
    assert.equal(frame?.rxInfo?.time, null);
    assert.deepEqual(frame?.rxInfo?.plainFineTimestamp, {
      time: timestamp(Date.UTC(2023, 2, 1, 10, 15, 30, 999), 999_999),
    });
  });

  it('ignores a fine time of an unknown second', () => {
    const [frame] = uplinksOf(push({ ...lora, time: '', ftime: 5 })).frames;
    assert.equal(frame?.rxInfo?.fineTimestampType, 'NONE');
    assert.equal(frame?.rxInfo?.plainFineTimestamp, undefined);
  });

  it('rounds MHz to whole Hz and accepts base64 without padding', () => {
    const [frame] = uplinksOf(push({ ...lora, freq: 868.299999999, data: 'AAECAw' })).frames;
    assert.equal(frame?.txInfo?.frequency, 868_300_000);
    assert.deepEqual(frame?.phyPayload, Uint8Array.of(0, 1, 2, 3));
  });

  it('counts frames without a valid CRC and returns the others', () => {
    const { frames, badCRC, withoutCRC } = uplinksOf(
      push(lora, { ...lora, stat: -1 }, { ...lora, stat: 0 }, { ...lora, stat: -1 }, { ...lora, stat: undefined }),
    );
    assert.deepEqual([frames.length, badCRC, withoutCRC], [1, 2, 2]);
  });

  it('tells how frames without a valid CRC were sent, where the gateway says so', () => {
    const bad = { ...lora, stat: -1 };
    const { frames, unreadable } = uplinksOf(push(lora, bad, { ...bad, size: undefined }, { ...bad, datr: 'SF99BW1' }));
    assert.deepEqual(unreadable, [{ size: lora.size, txInfo: frames[0]?.txInfo }]);
  });

  const tolerated: [string, object, object][] = [
    ['numbers written as text', { freq: '868.3', tmst: '3512348611', rssi: '-61', lsnr: '8.5', chan: '2' }, {}],
    ['lower-case modulation and data-rate', { modu: 'lora', datr: 'sf9bw125' }, {}],
    ['no modulation beside a LoRa data-rate', { modu: undefined }, {}],
    ['the strength of the signal alone', { rssi: undefined, rssis: -61 }, {}],
    ['no code rate, as of a frame without header', { codr: 'OFF' }, { codeRate: 'OFF' }],
    ['no concentrator time', { tmst: undefined }, { context: '' }],
    ['a negative concentrator time', { tmst: -1 }, { context: '' }],
    ['a concentrator time with a fraction', { tmst: 3_512_348_611.75 }, {}],
    ['a concentrator time beyond 32 bits', { tmst: 2 ** 32 + 3_512_348_611 }, {}],
    ['a frequency a few Hz off', { freq: 868.300003 }, {}],
    ['a frequency 100 Hz off', { freq: 868.2999 }, {}],
    ['a code rate that LoRa does not have', { codr: '3/4' }, { codeRate: '3/4' }],
    ['a code rate that is no fraction, as 4/5', { codr: 'fast' }, { codeRate: '4/5' }],
    ['a code rate as a number', { codr: 47 }, { codeRate: '4/7' }],
    ['a code rate that no number stands for, as 4/5', { codr: 3 }, { codeRate: '4/5' }],
    ['a code rate that is an object, as 4/5', { codr: {} }, { codeRate: '4/5' }],
    ['a code rate that cannot be a text, as 4/5', { codr: { toString: 1 } }, { codeRate: '4/5' }],
    ['a concentrator time beyond 53 bits, without it', { tmst: 2 ** 54 }, { context: '' }],
    ['a concentrator time of 1e300, without it', { tmst: 1e300 }, { context: '' }],
    ['a concentrator time that is no number, without it', { tmst: 'soon' }, { context: '' }],
    ['an empty concentrator time, without it', { tmst: '' }, { context: '' }],
    ['a negative channel as 0', { chan: -1 }, { channel: 0 }],
    ['a channel that is no number as 0', { chan: 'two' }, { channel: 0 }],
    ['an RF chain that is no number', { rfch: {} }, {}],
    ['a negative board', { brd: -3 }, {}],
    ['no strength as a weak one', { rssi: undefined }, { rssi: -120 }],
    ['a strength of null as a weak one', { rssi: null }, { rssi: -120 }],
    ['a strength that no radio measures as a weak one', { rssi: -1e9 }, { rssi: -120 }],
    ['a strength that no radio measures, with that of the signal', { rssi: 1e9, rssis: -61 }, {}],
    ['an SNR that no radio measures as 0', { lsnr: 1e11 }, { loRaSNR: 0 }],
    ['antennas that are no list', { rsig: 'many' }, {}],
    ['antennas that are no objects', { rsig: [7, null, []] }, {}],
  ];
  for (const [what, change, different] of tolerated) {
    it(`accepts ${what}`, () => {
      const read = (rxpk: object) => {
        const [frame] = uplinksOf(push(rxpk)).frames;
        const { context, rssi, loRaSNR, channel } = frame?.rxInfo ?? {};
        const { frequency, modulation, loRaModulationInfo } = frame?.txInfo ?? {};
        const received = { context: context?.toHex(), rssi, loRaSNR, channel, frequency, modulation };
        return { ...received, ...loRaModulationInfo };
      };
      assert.deepEqual(read({ ...lora, ...change }), { ...read(lora), ...different });
    });
  }

  for (const time of [1_677_665_730, true, {}, 'yesterday', '2026-02-30T10:15:30Z']) {
    it(`accepts a frame whose time is ${JSON.stringify(time)}, without it`, () => {
      const { frames, broken } = uplinksOf(push({ ...lora, time }));
      assert.deepEqual([frames[0]?.rxInfo?.time, broken], [null, []]);
    });
  }

  for (const tmms of [-5, 1e300, 2 ** 53, 'late', {}]) {
    it(`accepts a frame whose GPS time is ${JSON.stringify(tmms)}, without it`, () => {
      const { frames, broken } = uplinksOf(push({ ...lora, tmms }));
      assert.deepEqual([frames[0]?.rxInfo?.timeSinceGPSEpoch, broken], [null, []]);
    });
  }

  for (const ftime of [1e9, -1, 0.5, 'early']) {
    it(`accepts a frame whose fine time is ${JSON.stringify(ftime)}, without it`, () => {
      const { frames, broken } = uplinksOf(push({ ...lora, ftime }));
      assert.deepEqual([frames[0]?.rxInfo?.fineTimestampType, broken], ['NONE', []]);
    });
  }

  it('accepts an antenna with invalid fields, without them', () => {
    const rsig = [{ ant: -1, chan: 2.5, rssic: 'loud', lsnr: -1e300, etime: '****' }];
    const { frames, broken } = uplinksOf(push({ ...lora, aesk: -1, rsig }));
    const { antenna, channel, rssi, loRaSNR, fineTimestampType } = frames[0]!.rxInfo!;
    assert.deepEqual(
      { antenna, channel, rssi, loRaSNR, fineTimestampType },
      { antenna: 0, channel: 0, rssi: -120, loRaSNR: 0, fineTimestampType: 'NONE' },
    );
    assert.deepEqual(broken, []);
  });

  it('reads at most 16 antennas', () => {
    const rsig = Array.from({ length: 17 }, () => ({ rssic: -60 }));
    assert.equal(uplinksOf(push({ ...lora, rsig })).frames.length, 16);
  });

  it('accepts an LR-FHSS frame whose grid steps are not a number, with 0', () => {
    const change = { modu: 'LR-FHSS', datr: 'M0CW137', codr: '4/6', hpw: -8 };
    const { frames, broken } = uplinksOf(push({ ...lora, ...change }));
    assert.deepEqual([frames[0]?.txInfo?.lrFHSSModulationInfo?.gridSteps, broken], [0, []]);
  });

  it('accepts a GPS time with a fraction', () => {
    const { frames } = uplinksOf(push({ ...lora, tmms: 1_361_700_948_500.4 }));
    assert.equal(frames[0]?.rxInfo?.timeSinceGPSEpoch, 1_361_700_948_500);
  });

  it('does not change a frequency between channels', () => {
    const [frame] = uplinksOf(push({ ...lora, freq: 868.3002 })).frames;
    assert.equal(frame?.txInfo?.frequency, 868_300_200);
  });

  it('uses the strength of the channel of each antenna, else that of the signal', () => {
    const rsig = [{ rssic: -101, rssis: -99 }, { rssis: -98 }];
    const { frames } = uplinksOf(push({ ...lora, rssi: undefined, rsig }));
    assert.deepEqual(
      frames.map(({ rxInfo }) => rxInfo?.rssi),
      [-101, -98],
    );
  });

  const broken: [string, object][] = [
    ['rxpk[1].freq', { freq: 'far' }],
    ['rxpk[1].freq', { freq: '0x10' }],
    ['rxpk[1].freq', { freq: 5000 }],
    ['rxpk[1].freq', { freq: 868_100 }],
    ['rxpk[1].freq', { freq: 1.5 }],
    ['rxpk[1].datr', { modu: undefined, datr: 50_000 }],
    ['rxpk[1].modu', { modu: 'CW' }],
    ['rxpk[1].datr', { datr: 'SF13BW125' }],
    ['rxpk[1].datr', { datr: 'SF7BW126' }],
    ['rxpk[1].datr', { datr: 50_000 }],
    ['rxpk[1].datr', { modu: 'FSK', datr: 'fast' }],
    ['rxpk[1].datr', { modu: 'LR-FHSS', datr: 'M1CW137' }],
    ['rxpk[1].codr', { modu: 'LR-FHSS', datr: 'M0CW137', codr: 'toString' }],
    ['rxpk[1].stat', { stat: 2 }],
    ['rxpk[1].data', { data: '****' }],
    ['rxpk[1].data', { data: '' }],
    ['rxpk[1].data', { data: 'AAAA'.repeat(86) }],
  ];
  for (const [field, change] of broken) {
    it(`reports ${field} (${JSON.stringify(change)}) and reads the others`, () => {
      const result = uplinksOf(push(lora, { ...lora, ...change }, lora));
      assert.equal(result.frames.length, 2);
      assert.deepEqual(
        result.broken.map((error) => error.field),
        [field],
      );
    });
  }
});

describe('rxpkOf', () => {
  const changes: [string, object][] = [
    ['LoRa', {}],
    ['FSK', { modu: 'FSK', datr: 50_000, codr: undefined }],
    ['LR-FHSS', { modu: 'LR-FHSS', datr: 'M0CW336', codr: '4/6', hpw: 8 }],
    ['GPS time', { tmms: 1_361_700_948_500, ftime: 186_118_527 }],
  ];
  for (const [what, change] of changes) {
    it(`writes ${what} so that it reads back the same`, () => {
      const [frame] = uplinksOf(push({ ...lora, ...change })).frames;
      assert.ok(frame);
      const packet = decodePacket(encodePacket(push(rxpkOf(frame))));
      assert.ok(packet.type === 'PUSH_DATA');
      assert.deepEqual(uplinksOf(packet).frames, [frame]);
    });
  }
});
