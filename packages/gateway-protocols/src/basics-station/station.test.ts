import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, gw } from '@hilltop/protobuf';
import { PacketError } from '../packet-error.ts';
import type { StationRates } from './data-rates.ts';
import { dnmsgOf } from './downlink.ts';
import { formatDashed, formatID6, readEUI } from './eui.ts';
import { readRouterQuery, readStationMessage } from './message.ts';
import { routerConfigOf } from './router-config.ts';

const both = { uplink: true, downlink: true };
const loRa = (spreadingFactor: number, bandwidth = 125) =>
  ({ modulation: 'LORA', spreadingFactor, bandwidth, ...both }) as const;
const europe: StationRates = [
  ...[12, 11, 10, 9, 8, 7].map((factor) => loRa(factor)),
  loRa(7, 250),
  { modulation: 'FSK', datarate: 50_000, ...both },
];
const america: StationRates = [
  ...[10, 9, 8, 7].map((factor) => ({ ...loRa(factor), downlink: false })),
  { ...loRa(8, 500), downlink: false },
  null,
  null,
  null,
  ...[12, 11, 10, 9, 8, 7].map((factor) => ({ ...loRa(factor, 500), uplink: false })),
];
const gatewayID = Uint8Array.fromHex('0a0b0c0d0e0f1011');
const read = (text: string, rates = europe) => readStationMessage(text, { gatewayID, rates });
const upinfo =
  '{"rctx":-9223372036854775808,"xtime":9223372036854775807,"gpstime":0,"fts":-1,"rssi":-60.4,"snr":7.25,"rxtime":1636131701.25}';

function uplink(fields: string, radio = `"DR":5,"Freq":868100000,"upinfo":${upinfo}`) {
  const message = read(`{${fields},"RefTime":0.0,${radio}}`);
  assert.equal(message.type, 'uplink');
  return message.type === 'uplink' ? message.frame : create(gw.UplinkFrame);
}

describe('EUIs of stations', () => {
  for (const [written, eui] of [
    ['00-11-22-33-44-55-66-7F', '001122334455667f'],
    ['001122334455667F', '001122334455667f'],
    ['::0', '0000000000000000'],
    ['::', '0000000000000000'],
    ['::1', '0000000000000001'],
    ['::2:1', '0000000000020001'],
    ['4::1', '0004000000000001'],
    ['4:3::', '0004000300000000'],
    ['0:3:2:0', '0000000300020000'],
    ['4:3:2:1', '0004000300020001'],
    [1, '0000000000000001'],
    ['18446744073709551615', 'ffffffffffffffff'],
  ] as const)
    it(`reads ${written}`, () => assert.equal(readEUI(written, 'router'), eui));

  for (const written of ['', ':', '1:2:3', '1:2:3:4:5', '1::2::3', '::12345', 'g::1', '-1', -1, 1.5, 2 ** 60, null, {}])
    it(`refuses ${JSON.stringify(written)}`, () => assert.throws(() => readEUI(written, 'router'), PacketError));

  it('writes them with dashes and as id6', () => {
    assert.equal(formatDashed('001122334455667f'), '00-11-22-33-44-55-66-7f');
    assert.equal(formatID6('0004000300020001'), '4:3:2:1');
    assert.equal(readEUI(formatID6('0000000000000000'), ''), '0000000000000000');
  });

  it('reads a router-info query whose number a double cannot hold', () => {
    assert.equal(readRouterQuery('{"router": 72623859790382857}'), '0102030405060709');
    assert.equal(readRouterQuery('{"router":"::1"}'), '0000000000000001');
    assert.throws(() => readRouterQuery('{}'), PacketError);
  });
});

describe('a received frame', () => {
  it('accepts a frequency a few Hz off its channel, and an invalid time', () => {
    const frame = '"msgtype":"updf","MHdr":64,"DevAddr":1,"FCtrl":0,"FCnt":1,"MIC":1';
    const { txInfo, rxInfo } = uplink(
      frame,
      `"DR":5,"Freq":868100087.5,"upinfo":${upinfo.replace('1636131701.25', '"now"')}`,
    );
    assert.deepEqual([txInfo?.frequency, rxInfo?.time], [868_100_000, null]);
  });

  for (const [name, fields, phyPayload] of [
    [
      'a join-request',
      '"msgtype":"jreq","MHdr":0,"JoinEui":"70-b3-d5-7e-d0-00-00-01","DevEui":"01-02-03-04-05-06-07-08","DevNonce":258,"MIC":-2',
      '00010000d07ed5b37008070605040302010201feffffff',
    ],
    [
      'a data frame with commands and data',
      '"msgtype":"updf","MHdr":128,"DevAddr":-2130706431,"FCtrl":130,"FCnt":65535,"FOpts":"0307","FPort":10,"FRMPayload":"aAbB","MIC":16909060',
      '800100008182ffff03070aaabb04030201',
    ],
    [
      'a data frame with nothing in it',
      '"msgtype":"updf","MHdr":64,"DevAddr":1,"FCtrl":0,"FCnt":1,"FOpts":"","FPort":-1,"FRMPayload":"","MIC":1',
      '400100000000010001000000',
    ],
    ['a proprietary frame', '"msgtype":"propdf","FRMPayload":"e001020304"', 'e001020304'],
    [
      'a rejoin-request handed on whole',
      '"msgtype":"rejoin","MHdr":192,"pdu":"c00013000008070605040302010100feffffff","MIC":-2',
      'c00013000008070605040302010100feffffff',
    ],
    [
      'a rejoin-request handed on without MHDR and MIC',
      '"msgtype":"rejoin","MHdr":192,"pdu":"0013000008070605040302010100","MIC":-2',
      'c00013000008070605040302010100feffffff',
    ],
    [
      'a rejoin-request in fields',
      '"msgtype":"rejoin","MHdr":192,"RejoinType":0,"NetID":19,"DevEui":"01-02-03-04-05-06-07-08","RJcount0":1,"MIC":-2',
      'c00013000008070605040302010100feffffff',
    ],
    [
      'a rejoin-request of type 1 in fields',
      '"msgtype":"rejoin","MHdr":192,"RejoinType":1,"JoinEui":"::1","DevEui":"01-02-03-04-05-06-07-08","RJcount1":1,"MIC":-2',
      'c001010000000000000008070605040302010100feffffff',
    ],
  ] as const)
    it(`restores ${name}`, () => assert.equal(uplink(fields).phyPayload.toHex(), phyPayload));

  const frame = '"msgtype":"propdf","FRMPayload":"e001020304"';

  it('has radio metadata', () => {
    const { txInfo, rxInfo } = uplink(frame);
    assert.equal(txInfo?.frequency, 868_100_000);
    assert.deepEqual(txInfo?.loRaModulationInfo, {
      bandwidth: 125,
      spreadingFactor: 7,
      codeRate: '4/5',
      polarizationInversion: false,
    });
    assert.equal(rxInfo?.gatewayID.toHex(), gatewayID.toHex());
    assert.deepEqual([rxInfo?.rssi, rxInfo?.loRaSNR, rxInfo?.timeSinceGPSEpoch], [-60, 7.25, null]);
    assert.equal(rxInfo?.time?.toISOString(), '2021-11-05T17:01:41.250Z');
    assert.equal(rxInfo?.context.toHex(), '80000000000000007fffffffffffffff');
    assert.equal(rxInfo?.fineTimestampType, 'NONE');
  });

  it('has GPS time and the nanoseconds within its second', () => {
    const timed = upinfo.replace('"gpstime":0,"fts":-1', '"gpstime":1320166919000123,"fts":123456789');
    const { rxInfo } = uplink(frame, `"DR":7,"Freq":868800000,"upinfo":${timed}`);
    assert.equal(rxInfo?.timeSinceGPSEpoch, 1_320_166_919_000.123);
    assert.equal(rxInfo?.plainFineTimestamp?.time?.toISOString(), '2021-11-05T17:01:41.123Z');
  });

  for (const [name, text] of [
    ['no JSON', 'hello'],
    ['a list', '[]'],
    ['no msgtype', '{}'],
    ['a data-rate the region does not have', `{${frame},"DR":9,"Freq":868100000,"upinfo":${upinfo}}`],
    ['a frequency in MHz', `{${frame},"DR":5,"Freq":868.1,"upinfo":${upinfo}}`],
    ['no upinfo', `{${frame},"DR":5,"Freq":868100000}`],
    ['an xtime with a fraction', `{${frame},"DR":5,"Freq":868100000,"upinfo":{"xtime":1.5,"rctx":0,"rssi":1}}`],
    ['an xtime of 65 bits', `{${frame},"DR":5,"Freq":868100000,"upinfo":{"xtime":9223372036854775808,"rssi":1}}`],
    [
      'an xtime a double has rounded',
      `{${frame},"DR":5,"Freq":868100000,"upinfo":{"\\u0078time":9223372036854775,"xtime":1e17,"rssi":1}}`,
    ],
    ['an empty frame', `{"msgtype":"propdf","FRMPayload":"","DR":5,"Freq":868100000,"upinfo":${upinfo}}`],
    [
      'a frame too long',
      `{"msgtype":"propdf","FRMPayload":"${'00'.repeat(256)}","DR":5,"Freq":868100000,"upinfo":${upinfo}}`,
    ],
    ['what no radio measures', `{${frame},"DR":5,"Freq":868100000,"upinfo":${upinfo.replace('7.25', '1e11')}}`],
    ['half a byte', `{"msgtype":"propdf","FRMPayload":"e","DR":5,"Freq":868100000,"upinfo":${upinfo}}`],
    ['deep nesting', '['.repeat(50_000)],
  ] as const)
    it(`refuses ${name}`, () => assert.throws(() => read(text), PacketError));

  it('of other messages are read', () => {
    const version = read(
      '{"msgtype":"version","station":"2.0.6","firmware":"1.0","package":null,"model":"x","protocol":2,"features":"rmtsh"}',
    );
    const about = { station: '2.0.6', firmware: '1.0', model: 'x', features: 'rmtsh' };
    assert.deepEqual(version, { type: 'version', protocol: 2, about });
    assert.deepEqual(read('{"msgtype":"dntxed","diid":35,"xtime":1,"rctx":0}'), {
      type: 'dntxed',
      diid: '35',
      frequency: null,
    });
    assert.deepEqual(read('{"msgtype":"timesync","txtime":9007199254740993}'), {
      type: 'timesync',
      txtime: 9007199254740993n,
    });
    for (const msgtype of ['rmtsh', 'event', 'alarm', 'toString'])
      assert.deepEqual(read(`{"msgtype":"${msgtype}"}`), { type: 'other' });
  });
});

type Items = NonNullable<Parameters<typeof create<typeof gw.DownlinkFrame>>[1]>['items'];

describe('a downlink for a station', () => {
  const context = Uint8Array.fromHex('fffffffffffffffe0023a1b2c3d4e5f7');
  const modulated = (spreadingFactor: number, bandwidth = 125) => ({
    modulation: 'LORA' as const,
    loRaModulationInfo: { bandwidth, spreadingFactor, codeRate: '4/5', polarizationInversion: true },
  });
  const after = (delay: number, frequency: number, spreadingFactor: number, bandwidth?: number) => ({
    phyPayload: Uint8Array.of(0x60, 1),
    txInfo: {
      frequency,
      ...modulated(spreadingFactor, bandwidth),
      timing: 'DELAY' as const,
      delayTimingInfo: { delay },
      context,
    },
  });
  const sent = (items: Items, rates = europe) =>
    dnmsgOf(create(gw.DownlinkFrame, { items: items ?? [] }), { rates, diid: 7, muxTime: 5.5 });
  const head = '"msgtype":"dnmsg","DevEui":"01-01-01-01-01-01-01-01","diid":7,"pdu":"6001","priority":1';

  for (const [name, items, text, places, rates] of [
    [
      'both windows after an uplink, its time exact to the last digit',
      [after(1000, 868_100_000, 7), after(2000, 869_525_000, 12)],
      '"dC":0,"RxDelay":1,"rctx":-2,"xtime":10029413346633207,"RX1DR":5,"RX1Freq":868100000,"RX2DR":0,"RX2Freq":869525000',
      [0, 1],
      europe,
    ],
    [
      'a single window at its own time',
      [after(6000, 869_525_000, 12)],
      '"dC":0,"RxDelay":6,"rctx":-2,"xtime":10029413346633207,"RX1DR":0,"RX1Freq":869525000',
      [0],
      europe,
    ],
    [
      'only the preferred window when it is the later one',
      [after(2000, 869_525_000, 12), after(1000, 868_100_000, 7)],
      '"dC":0,"RxDelay":2,"rctx":-2,"xtime":10029413346633207,"RX1DR":0,"RX1Freq":869525000',
      [0],
      europe,
    ],
    [
      'data-rates that are for downlinks only',
      [after(5000, 923_300_000, 10, 500), after(6000, 923_300_000, 8, 500)],
      '"dC":0,"RxDelay":5,"rctx":-2,"xtime":10029413346633207,"RX1DR":10,"RX1Freq":923300000,"RX2DR":12,"RX2Freq":923300000',
      [0, 1],
      america,
    ],
    [
      'a class B slot in microseconds',
      [
        {
          phyPayload: Uint8Array.of(0x60, 1),
          txInfo: {
            frequency: 869_525_000,
            ...modulated(9),
            timing: 'GPS_EPOCH' as const,
            gpsEpochTimingInfo: { timeSinceGPSEpoch: 1_320_166_919_123 },
          },
        },
      ],
      '"dC":1,"gpstime":1320166919123000,"DR":3,"Freq":869525000',
      [0],
      europe,
    ],
    [
      'a class C frame at once',
      [
        {
          phyPayload: Uint8Array.of(0x60, 1),
          txInfo: { frequency: 869_525_000, ...modulated(12), timing: 'IMMEDIATELY' as const, context },
        },
      ],
      '"dC":2,"RxDelay":1,"rctx":-2,"RX2DR":0,"RX2Freq":869525000',
      [0],
      europe,
    ],
  ] as const)
    it(`is ${name}`, () => {
      const dnmsg = sent(items as Items, rates);
      assert.equal(dnmsg?.text, `{${head},${text},"MuxTime":5.5}`);
      assert.deepEqual(dnmsg?.items, places);
    });

  it('omits a second window with another frame', () => {
    const other = { ...after(2000, 869_525_000, 12), phyPayload: Uint8Array.of(0x60, 2) };
    assert.deepEqual(sent([after(1000, 868_100_000, 7), other])?.items, [0]);
  });

  it('is null without its modulation, the context of a station, or inverted polarization', () => {
    assert.equal(sent([]), null);
    assert.equal(sent([after(1000, 868_100_000, 7, 500)]), null);
    const [item] = [after(1000, 868_100_000, 7)];
    assert.equal(sent([{ ...item, txInfo: { ...item.txInfo, context: new Uint8Array(4) } }]), null);
    const loRaModulationInfo = { ...item.txInfo.loRaModulationInfo, polarizationInversion: false };
    assert.equal(sent([{ ...item, txInfo: { ...item.txInfo, loRaModulationInfo } }]), null);
  });
});

describe('router_config', () => {
  const region = { name: 'EU863', frequencyRange: [863e6, 870e6] as const, rates: europe, beacon: null };
  const channel = (megahertz: number, bandwidth = 125, spreadingFactors = [7, 8, 9, 10, 11, 12]) =>
    create(gw.ChannelConfiguration, {
      frequency: Math.round(megahertz * 1e6),
      loRaModulationConfig: { bandwidth, spreadingFactors },
    });
  const fsk = (megahertz: number) =>
    create(gw.ChannelConfiguration, {
      modulation: 'FSK',
      frequency: Math.round(megahertz * 1e6),
      fskModulationConfig: { bandwidth: 125, bitrate: 50_000 },
    });
  type Board = Record<string, { enable: boolean; freq?: number; radio?: number; if?: number }>;
  const boardOf = (channels: gw.ChannelConfiguration[]) => {
    const { config, leftOut } = routerConfigOf(region, channels);
    const [board] = config.sx1301_conf as [Board];
    const received = Object.entries(board).flatMap(([name, { enable, radio = 0, if: offset = 0 }]) =>
      enable && name.startsWith('chan') ? [((board[`radio_${radio}`]?.freq ?? 0) + offset) / 1e6] : [],
    );
    return { board, received, leftOut };
  };

  it('places the channels of EU868 on two radios', () => {
    const channels = [868.1, 868.3, 868.5, 867.1, 867.3, 867.5, 867.7, 867.9].map((megahertz) => channel(megahertz));
    const { board, received, leftOut } = boardOf([...channels, channel(868.3, 250, [7]), fsk(868.8)]);
    assert.deepEqual(board.radio_0, { enable: true, freq: 867_500_000 });
    assert.deepEqual(board.radio_1, { enable: true, freq: 868_500_000 });
    assert.deepEqual(board.chan_multiSF_0, { enable: true, radio: 1, if: -400_000 });
    assert.deepEqual(board.chan_Lora_std, {
      enable: true,
      radio: 1,
      if: -200_000,
      bandwidth: 250_000,
      spread_factor: 7,
    });
    assert.deepEqual(board.chan_FSK, { enable: true, radio: 1, if: 300_000 });
    assert.deepEqual(received, [868.1, 868.3, 868.5, 867.1, 867.3, 867.5, 867.7, 867.9, 868.3, 868.8]);
    assert.deepEqual(leftOut, []);
  });

  it('places the first channels of US915', () => {
    const channels = Array.from({ length: 8 }, (_, nth) => channel(902.3 + nth * 0.2));
    const { board, leftOut } = boardOf([...channels, channel(903, 500, [8])]);
    assert.equal(board.radio_0?.freq, 902_700_000);
    assert.equal(board.radio_1?.freq, 903_700_000);
    assert.equal(board.chan_Lora_std?.if, 300_000);
    assert.deepEqual(leftOut, []);
  });

  it('disables radios without channels', () => {
    const { board } = boardOf([channel(868.1)]);
    assert.deepEqual(board.radio_1, { enable: false, freq: 0 });
    assert.deepEqual(board.chan_multiSF_1, { enable: false });
    assert.deepEqual(board.chan_FSK, { enable: false });
    assert.equal(Object.keys(board).length, 12);
  });

  it('leaves out channels that do not fit, and includes the others', () => {
    const far = [channel(863.1), channel(866), channel(869.5), fsk(864.5), channel(863.3)];
    assert.deepEqual(boardOf(far).received, [863.1, 866, 863.3]);
    const many = Array.from({ length: 10 }, (_, nth) => channel(867.1 + nth * 0.1));
    assert.equal(boardOf(many).leftOut.length, 2);
    assert.equal(boardOf([channel(2403, 812)]).leftOut.length, 1);
  });

  it('contains data-rates, limits and beacons', () => {
    const beacon = { dataRate: 8, layout: [5, 11, 23], frequencies: [923_300_000] };
    const { config } = routerConfigOf({ ...region, rates: america, maxEIRP: 20, beacon }, []);
    const { DRs, NetID, JoinEui, hwspec, freq_range, max_eirp, bcning, nocca, nodc, nodwell } = config;
    assert.deepEqual((DRs as unknown[]).slice(3, 9), [
      [7, 125, 0],
      [8, 500, 0],
      [-1, 0, 0],
      [-1, 0, 0],
      [-1, 0, 0],
      [12, 500, 1],
    ]);
    assert.equal((DRs as unknown[]).length, 16);
    assert.deepEqual(routerConfigOf(region, []).config.bcning, null);
    assert.deepEqual(
      { NetID, JoinEui, hwspec, freq_range, max_eirp, bcning, nocca, nodc, nodwell },
      {
        NetID: null,
        JoinEui: null,
        hwspec: 'sx1301/1',
        freq_range: [863e6, 870e6],
        max_eirp: 20,
        bcning: { DR: 8, layout: [5, 11, 23], freqs: [923_300_000] },
        nocca: true,
        nodc: true,
        nodwell: true,
      },
    );
  });
});
