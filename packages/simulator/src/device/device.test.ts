import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MacCommand } from '@hilltop/lorawan';
import { macCommand } from '@hilltop/lorawan';
import { seededRandom } from '../random.ts';
import type { Peer } from '../testing/peer.ts';
import { answerJoin, buildDownlink, readUplink } from '../testing/peer.ts';
import type { Device } from './device.ts';
import { createDevice } from './device.ts';
import type { DeviceOptions } from './device-options.ts';

const root = {
  nwkKey: Uint8Array.fromHex('000102030405060708090a0b0c0d0e0f'),
  appKey: Uint8Array.fromHex('f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff'),
};
const identity = { devEUI: '0a1b2c3d4e5f6071', joinEUI: '70b3d57ed0000001' };
const devAddr = '26012345';

function otaa(options: Partial<DeviceOptions> = {}): Device {
  return createDevice({ ...identity, ...root, random: seededRandom(1), ...options });
}

function joined(options: Partial<DeviceOptions> = {}): { device: Device; peer: Peer } {
  const device = otaa(options);
  const optNeg = device.macVersion === '1.1.0';
  const { phyPayload, peer } = answerJoin(device.joinRequest(), root, {
    devAddr,
    joinNonce: 1,
    dlSettings: { optNeg },
  });
  assert.deepEqual(device.receive(phyPayload), { kind: 'joined', devAddr });
  return { device, peer };
}

/** Sends commands to the device and reads its answers in the next uplink. */
function converse(device: Device, peer: Peer, fCntDown: number, commands: MacCommand[], snr?: number): MacCommand[] {
  const received = device.receive(buildDownlink(peer, { fCnt: fCntDown, commands }), snr);
  assert.equal(received.kind, 'data');
  const { fCntUp } = device.session!;
  return readUplink(peer, device.uplink(), { fCnt: fCntUp }).commands;
}

for (const macVersion of ['1.0.3', '1.1.0']) {
  describe(`a device of LoRaWAN ${macVersion}`, () => {
    it('joins and uses the keys of the join', () => {
      const { device, peer } = joined({ macVersion });
      const sent = device.uplink({ fPort: 10, data: Uint8Array.of(1, 2, 3) });
      const { frame, data } = readUplink(peer, sent, { fCnt: 0 });
      assert.equal(frame.mType, 'UnconfirmedDataUp');
      assert.equal(frame.fPort, 10);
      assert.deepEqual(data, Uint8Array.of(1, 2, 3));
      assert.deepEqual(readUplink(peer, device.uplink({ fPort: 10 }), { fCnt: 1 }).data, new Uint8Array());
    });

    it('also receives downlinks of its multicast-group, with the keys of the group, each once', () => {
      const [nwkSKey, appSKey] = [new Uint8Array(16).fill(7), new Uint8Array(16).fill(8)];
      const { device, peer } = joined({ macVersion, groups: [{ mcAddr: '01020304', nwkSKey, appSKey, fCnt: 5 }] });
      const keys = { fNwkSIntKey: nwkSKey, sNwkSIntKey: nwkSKey, nwkSEncKey: nwkSKey, appSKey };
      const group: Peer = { devAddr: '01020304', keys, version: '1.0' };
      const sent = buildDownlink(group, { fCnt: 5, fPort: 9, data: Uint8Array.of(1, 2) });
      const received = device.receive(sent);
      assert.ok(received.kind === 'data');
      assert.deepEqual([received.fCnt, received.fPort, received.data], [5, 9, Uint8Array.of(1, 2)]);
      assert.deepEqual(device.receive(sent), { kind: 'refused', reason: 'replayed' });
      const foreign = buildDownlink({ ...group, devAddr: '01020305' }, { fCnt: 6, fPort: 9 });
      assert.deepEqual(device.receive(foreign), { kind: 'refused', reason: 'other-device' });
      assert.equal(device.receive(buildDownlink(peer, { fCnt: 0, fPort: 7 })).kind, 'data');
    });

    it('receives application data and acknowledges it when asked to', () => {
      const { device, peer } = joined({ macVersion });
      device.uplink();
      const downlink = buildDownlink(peer, {
        fCnt: 0,
        fPort: 7,
        data: Uint8Array.of(9),
        confirmed: true,
        fPending: true,
      });
      assert.deepEqual(device.receive(downlink), {
        kind: 'data',
        fCnt: 0,
        fPort: 7,
        data: Uint8Array.of(9),
        confirmed: true,
        acknowledged: false,
        fPending: true,
        commands: [],
      });
      assert.equal(readUplink(peer, device.uplink(), { fCnt: 1, confFCnt: 0 }).frame.fCtrl.ack, true);
      assert.equal(readUplink(peer, device.uplink(), { fCnt: 2 }).frame.fCtrl.ack, false);
    });

    it('reports the acknowledgement of its confirmed uplink', () => {
      const { device, peer } = joined({ macVersion });
      device.uplink();
      const { frame } = readUplink(peer, device.uplink({ fPort: 1, confirmed: true }), { fCnt: 1 });
      assert.equal(frame.mType, 'ConfirmedDataUp');
      const received = device.receive(buildDownlink(peer, { fCnt: 0, ack: true, confFCnt: 1 }));
      assert.ok(received.kind === 'data' && received.acknowledged);
    });

    it('reads MAC commands on FPort 0', () => {
      const { device, peer } = joined({ macVersion });
      const received = device.receive(
        buildDownlink(peer, { fCnt: 0, fPort: 0, commands: [macCommand('DevStatusReq')] }),
      );
      assert.ok(received.kind === 'data');
      assert.deepEqual(received.commands, [macCommand('DevStatusReq')]);
      assert.deepEqual(received.data, new Uint8Array());
    });

    it('refuses replayed, forged, foreign and invalid downlinks', () => {
      const { device, peer } = joined({ macVersion });
      const downlink = buildDownlink(peer, { fCnt: 0, fPort: 7, data: Uint8Array.of(1) });
      const forged = downlink.with(-1, downlink.at(-1)! ^ 1);
      assert.deepEqual(device.receive(forged), { kind: 'refused', reason: 'mic' });
      assert.equal(device.receive(downlink).kind, 'data');
      assert.deepEqual(device.receive(downlink), { kind: 'refused', reason: 'replayed' });
      const foreign = buildDownlink({ ...peer, devAddr: '26ffffff' }, { fCnt: 1 });
      assert.deepEqual(device.receive(foreign), { kind: 'refused', reason: 'other-device' });
      assert.deepEqual(device.receive(new Uint8Array(3)), { kind: 'refused', reason: 'malformed' });
      assert.deepEqual(device.receive(device.uplink().phyPayload), { kind: 'refused', reason: 'unexpected' });
    });
  });
}

describe('joining', () => {
  it('uses a new DevNonce each time and accepts only the answer to the last', () => {
    const device = otaa({ macVersion: '1.1.0' });
    const accept = { devAddr, joinNonce: 1, dlSettings: { optNeg: true } };
    const first = answerJoin(device.joinRequest(), root, accept);
    const second = answerJoin(device.joinRequest(), root, accept);
    assert.deepEqual(device.receive(first.phyPayload), { kind: 'refused', reason: 'mic' });
    assert.deepEqual(device.receive(second.phyPayload), { kind: 'joined', devAddr });
    assert.deepEqual(device.receive(second.phyPayload), { kind: 'refused', reason: 'unexpected' });
  });

  it('applies the settings of the join-accept', () => {
    const device = otaa();
    const { phyPayload } = answerJoin(device.joinRequest({ dataRate: 2 }), root, {
      devAddr,
      joinNonce: 1,
      rxDelay: 3,
      dlSettings: { rx1DROffset: 2, rx2DataRate: 3 },
      cFList: { type: 0, frequencies: [867_100_000, 0, 867_500_000] },
    });
    device.receive(phyPayload);
    const { radio } = device.session!;
    assert.equal(radio.dataRate, 2);
    assert.deepEqual(radio.enabledChannels, [0, 1, 2, 3, 5]);
    const { windows, frequency } = device.uplink();
    assert.deepEqual(
      windows.map((window) => [window.name, window.delayMs, window.frequency, window.modulation]),
      [
        ['RX1', 3000, frequency, { modulation: 'LORA', spreadingFactor: 12, bandwidth: 125, codeRate: '4/5' }],
        ['RX2', 4000, 869_525_000, { modulation: 'LORA', spreadingFactor: 9, bandwidth: 125, codeRate: '4/5' }],
      ],
    );
  });

  it('listens five and six seconds after a join-request', () => {
    assert.deepEqual(
      otaa()
        .joinRequest()
        .windows.map(({ delayMs }) => delayMs),
      [5000, 6000],
    );
  });

  it('keeps the old session until the network answers', () => {
    const { device } = joined();
    device.joinRequest();
    assert.equal(device.session?.devAddr, devAddr);
  });

  it('refuses a JoinNonce that did not grow, from 1.0.4 on', () => {
    const { device } = joined({ macVersion: '1.0.4' });
    const again = answerJoin(device.joinRequest(), root, { devAddr, joinNonce: 1 });
    assert.deepEqual(device.receive(again.phyPayload), { kind: 'refused', reason: 'replayed' });
  });

  it('uses an unknown key on request', () => {
    const device = otaa({ wrongKey: true });
    assert.throws(() => answerJoin(device.joinRequest(), root, { devAddr, joinNonce: 1 }), /MIC/);
  });

  it('sends RekeyInd until the network confirms it (1.1)', () => {
    const { device, peer } = joined({ macVersion: '1.1.0' });
    const rekey = [macCommand('RekeyInd', { devLoRaWANVersion: { minor: 1 } })];
    assert.deepEqual(readUplink(peer, device.uplink(), { fCnt: 0 }).commands, rekey);
    assert.deepEqual(converse(device, peer, 0, []), rekey);
    const confirmed = macCommand('RekeyConf', { servLoRaWANVersion: { minor: 1 } });
    assert.deepEqual(converse(device, peer, 1, [confirmed]), []);
  });

  it('falls back to 1.0 when the network does not support 1.1', () => {
    const device = otaa({ macVersion: '1.1.0' });
    const { phyPayload, peer } = answerJoin(device.joinRequest(), root, { devAddr, joinNonce: 1 });
    assert.equal(device.receive(phyPayload).kind, 'joined');
    assert.equal(device.session?.version, '1.0');
    assert.deepEqual(readUplink(peer, device.uplink(), { fCnt: 0 }).commands, []);
  });
});

describe('an ABP device', () => {
  const keys = { nwkSKey: '11'.repeat(16), appSKey: '22'.repeat(16) };
  const nwkSKey = Uint8Array.fromHex(keys.nwkSKey);
  const peer: Peer = {
    devAddr,
    version: '1.0',
    keys: {
      fNwkSIntKey: nwkSKey,
      sNwkSIntKey: nwkSKey,
      nwkSEncKey: nwkSKey,
      appSKey: Uint8Array.fromHex(keys.appSKey),
    },
  };

  it('sends at once, with the given counters', () => {
    const device = createDevice({ ...identity, session: { devAddr, keys, fCntUp: 65_535 }, random: seededRandom(2) });
    assert.equal(readUplink(peer, device.uplink(), { fCnt: 65_535 }).frame.fCnt, 65_535);
    assert.equal(readUplink(peer, device.uplink(), { fCnt: 65_536 }).frame.fCnt, 0);
    assert.throws(() => device.joinRequest(), /no root keys/);
  });

  it('repeats its last uplink byte for byte', () => {
    const device = createDevice({ ...identity, session: { devAddr, keys }, random: seededRandom(3) });
    assert.throws(() => device.repeat(), /no uplink/);
    device.receive(buildDownlink(peer, { fCnt: 0, confirmed: true, fPort: 1, commands: [macCommand('DevStatusReq')] }));
    const first = device.uplink({ fPort: 2, data: Uint8Array.of(1), confirmed: true });
    assert.deepEqual(device.repeat().phyPayload, first.phyPayload);
    assert.equal(device.session?.fCntUp, 1);
  });

  it('of 1.1 sends ResetInd after a restart', () => {
    const device = createDevice({ ...identity, macVersion: '1.1.0', session: { devAddr, keys } });
    const { commands } = readUplink({ ...peer, version: '1.1' }, device.uplink(), { fCnt: 0 });
    assert.deepEqual(commands, [macCommand('ResetInd', { devLoRaWANVersion: { minor: 1 } })]);
  });

  it('uses an unknown key on request', () => {
    const device = createDevice({ ...identity, session: { devAddr, keys }, wrongKey: true });
    assert.throws(() => readUplink(peer, device.uplink(), { fCnt: 0 }), /MIC/);
  });
});

describe('MAC commands', () => {
  const mask = (...on: number[]) => Array.from({ length: 16 }, (_, index) => on.includes(index));
  const adr = (dataRate: number, txPower: number, chMask: boolean[], nbRep = 1) =>
    macCommand('LinkADRReq', { dataRate, txPower, chMask, redundancy: { chMaskCntl: 0, nbRep } });

  it('LinkADRReq sets data-rate, power, channels and repetitions', () => {
    const { device, peer } = joined();
    const answer = converse(device, peer, 0, [adr(2, 3, mask(0, 2), 2)]);
    assert.deepEqual(answer, [macCommand('LinkADRAns', { channelMaskAck: true, dataRateAck: true, powerAck: true })]);
    const { radio } = device.session!;
    assert.deepEqual([radio.dataRate, radio.txPowerIndex, radio.nbTrans], [2, 3, 2]);
    assert.deepEqual(radio.enabledChannels, [0, 2]);
    const sent = device.uplink();
    assert.equal(sent.dataRate, 2);
    assert.equal(sent.power, 10);
    assert.ok([868_100_000, 868_500_000].includes(sent.frequency));
  });

  it('a LinkADRReq that cannot be applied changes nothing and reports why', () => {
    const { device, peer } = joined();
    assert.deepEqual(converse(device, peer, 0, [adr(13, 12, mask(0))]), [
      macCommand('LinkADRAns', { channelMaskAck: true, dataRateAck: false, powerAck: false }),
    ]);
    assert.deepEqual(converse(device, peer, 1, [adr(3, 0, mask())]), [
      macCommand('LinkADRAns', { channelMaskAck: false, dataRateAck: false, powerAck: true }),
    ]);
    assert.deepEqual(device.session?.radio.enabledChannels, [0, 1, 2]);
  });

  it('a block of LinkADRReq is answered one by one with equal answers; 15 keeps a value', () => {
    const { device, peer } = joined({ region: 'US915' });
    const wide = macCommand('LinkADRReq', {
      dataRate: 0xf,
      txPower: 0xf,
      chMask: mask(),
      redundancy: { chMaskCntl: 7, nbRep: 0 },
    });
    const narrow = { ...adr(0xf, 0xf, mask(8, 9)) };
    const good = macCommand('LinkADRAns', { channelMaskAck: true, dataRateAck: true, powerAck: true });
    assert.deepEqual(converse(device, peer, 0, [wide, narrow]), [good, good]);
    assert.deepEqual(device.session?.radio.enabledChannels, [8, 9]);
    assert.equal(device.session?.radio.dataRate, 3);
  });

  it('RXParamSetupReq moves the windows; its answer is repeated until a downlink', () => {
    const { device, peer } = joined();
    const dlSettings = { optNeg: false, rx1DROffset: 1, rx2DataRate: 3 };
    const request = macCommand('RXParamSetupReq', { frequency: 868_525_000, dlSettings });
    const answer = macCommand('RXParamSetupAns', { channelAck: true, rx2DataRateAck: true, rx1DROffsetAck: true });
    assert.deepEqual(converse(device, peer, 0, [request]), [answer]);
    assert.deepEqual(readUplink(peer, device.uplink(), { fCnt: 1 }).commands, [answer]);
    assert.deepEqual(converse(device, peer, 1, []), []);
    assert.equal(device.uplink().windows[1]?.frequency, 868_525_000);
  });

  it('RXParamSetupReq outside the band is refused', () => {
    const { device, peer } = joined();
    const dlSettings = { optNeg: false, rx1DROffset: 0, rx2DataRate: 15 };
    const request = macCommand('RXParamSetupReq', { frequency: 915_000_000, dlSettings });
    assert.deepEqual(converse(device, peer, 0, [request]), [
      macCommand('RXParamSetupAns', { channelAck: false, rx2DataRateAck: false, rx1DROffsetAck: true }),
    ]);
    assert.equal(device.uplink().windows[1]?.frequency, 869_525_000);
  });

  it('RXTimingSetupReq delays the windows', () => {
    const { device, peer } = joined();
    assert.deepEqual(converse(device, peer, 0, [macCommand('RXTimingSetupReq', { delay: 5 })]), [
      macCommand('RXTimingSetupAns'),
    ]);
    assert.equal(device.uplink().windows[0]?.delayMs, 5000);
  });

  it('DevStatusReq is answered with battery and the SNR of the downlink', () => {
    const { device, peer } = joined({ battery: 254 });
    assert.deepEqual(converse(device, peer, 0, [macCommand('DevStatusReq')], -7.6), [
      macCommand('DevStatusAns', { battery: 254, margin: -8 }),
    ]);
    device.battery = 0;
    assert.deepEqual(converse(device, peer, 1, [macCommand('DevStatusReq')], 99), [
      macCommand('DevStatusAns', { battery: 0, margin: 31 }),
    ]);
  });

  it('NewChannelReq adds and removes channels, never a default one', () => {
    const { device, peer } = joined();
    const channel = (chIndex: number, freq: number) =>
      macCommand('NewChannelReq', { chIndex, freq, minDR: 0, maxDR: 5 });
    const answer = (channelFrequencyOK: boolean) =>
      macCommand('NewChannelAns', { channelFrequencyOK, dataRateRangeOK: true });
    assert.deepEqual(converse(device, peer, 0, [channel(3, 867_100_000), channel(0, 867_300_000)]), [
      answer(true),
      answer(false),
    ]);
    assert.deepEqual(converse(device, peer, 1, [channel(4, 915_000_000)]), [answer(false)]);
    assert.deepEqual(device.session?.radio.enabledChannels, [0, 1, 2, 3]);
    assert.deepEqual(converse(device, peer, 2, [channel(3, 0)]), [answer(true)]);
    assert.deepEqual(device.session?.radio.enabledChannels, [0, 1, 2]);
  });

  it('DLChannelReq moves RX1 of a channel', () => {
    const { device, peer } = joined();
    const commands = [0, 1, 2].map((chIndex) => macCommand('DLChannelReq', { chIndex, freq: 868_800_000 }));
    const answer = macCommand('DLChannelAns', { channelFrequencyOK: true, uplinkFrequencyExists: true });
    assert.deepEqual(converse(device, peer, 0, commands), [answer, answer, answer]);
    assert.equal(device.uplink().windows[0]?.frequency, 868_800_000);
  });

  it('DutyCycleReq and ADRParamSetupReq are answered', () => {
    const { device, peer } = joined();
    const commands = [
      macCommand('DutyCycleReq', { maxDCycle: 7 }),
      macCommand('ADRParamSetupReq', { adrParam: { limitExp: 6, delayExp: 5 } }),
    ];
    const answers = [macCommand('DutyCycleAns'), macCommand('ADRParamSetupAns')];
    assert.deepEqual(converse(device, peer, 0, commands), answers);
    assert.equal(device.session?.radio.maxDutyCycle, 7);
  });

  it('TXParamSetupReq is ignored where the region has none', () => {
    const { device, peer } = joined();
    const request = macCommand('TXParamSetupReq', { downlinkDwellTime: 1, uplinkDwellTime: 1, maxEIRPCoded: 5 });
    assert.deepEqual(converse(device, peer, 0, [request]), []);
  });

  it('when there are more answers than FOpts can hold, the first ones are sent', () => {
    const { device, peer } = joined();
    const answers = converse(
      device,
      peer,
      0,
      Array.from({ length: 8 }, () => macCommand('DevStatusReq')),
    );
    assert.equal(answers.length, 5);
  });

  it('sends requests to the network and returns its answers', () => {
    const { device, peer } = joined();
    device.ask('LinkCheckReq');
    assert.deepEqual(readUplink(peer, device.uplink(), { fCnt: 0 }).commands, [macCommand('LinkCheckReq')]);
    const answer = macCommand('LinkCheckAns', { margin: 12, gwCnt: 2 });
    const received = device.receive(buildDownlink(peer, { fCnt: 0, commands: [answer] }));
    assert.ok(received.kind === 'data');
    assert.deepEqual(received.commands, [answer]);
    assert.deepEqual(readUplink(peer, device.uplink(), { fCnt: 1 }).commands, []);
  });
});

describe('ADR', () => {
  it('sets ADRACKReq after 64 uplinks without a downlink, then becomes slower every 32', () => {
    const { device, peer } = joined();
    const sent = Array.from({ length: 160 }, (_, fCnt) => readUplink(peer, device.uplink(), { fCnt }).frame.fCtrl);
    assert.deepEqual(
      [0, 63, 64, 159].map((nth) => sent[nth]?.adrAckReq),
      [false, false, true, true],
    );
    assert.equal(device.session?.radio.dataRate, 3);
    device.receive(buildDownlink(peer, { fCnt: 0 }));
    assert.equal(readUplink(peer, device.uplink(), { fCnt: 160 }).frame.fCtrl.adrAckReq, false);
  });

  it('increases power before it slows down, and stops setting ADRACKReq at the slowest data rate', () => {
    const { device, peer } = joined();
    const mask = Array.from({ length: 16 }, (_, index) => index === 1);
    const slow = { dataRate: 0, txPower: 4, chMask: mask, redundancy: { chMaskCntl: 0, nbRep: 1 } };
    converse(device, peer, 0, [macCommand('LinkADRReq', slow)]);
    for (let nth = 0; nth < 94; nth++) device.uplink();
    assert.ok(readUplink(peer, device.uplink(), { fCnt: 95 }).frame.fCtrl.adrAckReq, 'it has power to gain');
    assert.deepEqual([device.session?.radio.txPowerIndex, device.session?.radio.dataRate], [4, 0]);
    assert.ok(!readUplink(peer, device.uplink(), { fCnt: 96 }).frame.fCtrl.adrAckReq, 'it has nothing to gain');
    assert.deepEqual([device.session?.radio.txPowerIndex, device.session?.radio.dataRate], [0, 0]);
    for (let nth = 0; nth < 32; nth++) device.uplink();
    assert.deepEqual(device.session?.radio.enabledChannels, [1, 0, 2]);
  });

  it('does not back off when the device manages its data-rate itself', () => {
    const { device, peer } = joined({ adr: false });
    for (let nth = 0; nth < 200; nth++) device.uplink();
    const { fCtrl } = readUplink(peer, device.uplink(), { fCnt: 200 }).frame;
    assert.deepEqual([fCtrl.adr, fCtrl.adrAckReq, device.session?.radio.dataRate], [false, false, 5]);
  });
});
