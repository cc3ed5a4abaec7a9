import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  decodeMacCommands,
  encodeMacCommands,
  gpsTimeOf,
  type MacCommand,
  type MacCommandName,
  macCommand,
} from '@hilltop/lorawan';
import type { DeviceSession } from '../state/session.ts';
import { createMacContext, type MacContextOptions } from '../testing/mac-context.ts';
import { handleMacCommands } from './handle.ts';
import { macRules } from './registry.ts';
import { networkRequests } from './requests.ts';

const mask = (...on: number[]) => Array.from({ length: 16 }, (_, channel) => on.includes(channel));
const linkADR = (dataRate: number, txPower: number, channels: number[] = [0, 1, 2], nbRep = 1) =>
  macCommand('LinkADRReq', {
    dataRate,
    txPower,
    chMask: mask(...channels),
    redundancy: { chMaskCntl: 0, nbRep },
  });
const linkADRAns = (channelMaskAck: boolean, dataRateAck: boolean, powerAck: boolean) =>
  macCommand('LinkADRAns', { channelMaskAck, dataRateAck, powerAck });
const newChannel = (chIndex: number, freq: number) =>
  macCommand('NewChannelReq', { chIndex, freq, minDR: 0, maxDR: 5 });
const newChannelAns = (isOK: boolean) =>
  macCommand('NewChannelAns', { channelFrequencyOK: isOK, dataRateRangeOK: true });
const rxParamSetup = macCommand('RXParamSetupReq', {
  frequency: 869_000_000,
  dlSettings: { optNeg: false, rx1DROffset: 2, rx2DataRate: 3 },
});
const rxParamSetupAns = (isOK: boolean) =>
  macCommand('RXParamSetupAns', { channelAck: isOK, rx2DataRateAck: true, rx1DROffsetAck: true });

const receivedAt = (txPowerIndex: number) => ({ fCnt: 1, maxSNR: 2, maxRSSI: -90, txPowerIndex, gatewayCount: 1 });

interface Case extends MacContextOptions {
  title: string;
  asked?: MacCommand[];
  received: MacCommand[];
  answers?: MacCommand[];
  mustSend?: boolean;
  status?: object;
  session?: Partial<DeviceSession>;
  expect?: Partial<DeviceSession>;
}

const cases: Case[] = [
  {
    title: 'LinkCheckReq: margin of the best gateway and their number',
    received: [macCommand('LinkCheckReq')],
    snrs: [3.9, -2],
    answers: [macCommand('LinkCheckAns', { margin: 11, gwCnt: 2 })],
  },
  {
    title: 'LinkCheckReq: below the floor',
    received: [macCommand('LinkCheckReq')],
    snrs: [-9],
    answers: [macCommand('LinkCheckAns', { margin: 0, gwCnt: 1 })],
  },
  {
    title: 'LinkADRAns: all taken',
    asked: [linkADR(5, 3, [0, 1], 2)],
    received: [linkADRAns(true, true, true)],
    session: { macErrors: { 3: 2 }, enabledChannels: [0, 1, 2], dr: 4 },
    expect: { dr: 5, txPowerIndex: 3, nbTrans: 2, enabledChannels: [0, 1], macErrors: {}, pendingRequests: {} },
  },
  {
    title: 'LinkADRAns: another data-rate, power or number of transmissions restarts the history',
    asked: [linkADR(5, 3)],
    received: [linkADRAns(true, true, true)],
    session: { dr: 5, txPowerIndex: 2, uplinkHistory: [receivedAt(2)] },
    expect: { txPowerIndex: 3, uplinkHistory: [] },
  },
  {
    title: 'LinkADRAns: other channels alone do not restart the history',
    asked: [linkADR(5, 2, [0, 1])],
    received: [linkADRAns(true, true, true)],
    session: { dr: 5, txPowerIndex: 2, uplinkHistory: [receivedAt(2)] },
    expect: { enabledChannels: [0, 1], uplinkHistory: [receivedAt(2)] },
  },
  {
    title: 'LinkADRAns: a refusal does not restart the history',
    asked: [linkADR(5, 3)],
    received: [linkADRAns(true, false, true)],
    session: { adr: true, dr: 5, txPowerIndex: 2, uplinkHistory: [receivedAt(2)] },
    expect: { txPowerIndex: 2, uplinkHistory: [receivedAt(2)], macErrors: { 3: 1 } },
  },
  {
    title: 'LinkADRAns: a doubtful power is certain again once a device accepts it',
    asked: [linkADR(5, 0)],
    received: [linkADRAns(true, true, true)],
    session: { isTxPowerDoubtful: true },
    expect: { isTxPowerDoubtful: false },
  },
  {
    title: 'LinkADRAns: one command of a block refused',
    asked: [linkADR(5, 3), linkADR(5, 3)],
    received: [linkADRAns(true, true, true), linkADRAns(true, false, true)],
    session: { adr: true, dr: 4 },
    expect: { dr: 4, txPowerIndex: 0, macErrors: { 3: 1 } },
  },
  {
    title: 'LinkADRAns: power index 0 refused',
    asked: [linkADR(5, 0)],
    received: [linkADRAns(true, true, false)],
    session: { adr: true },
    expect: { txPowerIndex: 1, lowestTxPowerIndex: 1, macErrors: { 3: 1 } },
  },
  {
    title: 'LinkADRAns: a higher power index refused',
    asked: [linkADR(5, 4)],
    received: [linkADRAns(true, true, false)],
    session: { adr: true, txPowerIndex: 2 },
    expect: { txPowerIndex: 2, highestTxPowerIndex: 3, macErrors: { 3: 1 } },
  },
  {
    title: 'LinkADRAns: power index 1 refused, so that 0 is the highest',
    asked: [linkADR(5, 1)],
    received: [linkADRAns(true, true, false)],
    session: { adr: true },
    expect: { txPowerIndex: 0, highestTxPowerIndex: 0, macErrors: { 3: 1 } },
  },
  {
    title: 'LinkADRAns: ADR off on the device, mask and power taken',
    asked: [linkADR(5, 2, [0], 3)],
    received: [linkADRAns(true, false, true)],
    session: { adr: false, dr: 1, enabledChannels: [0, 1, 2] },
    expect: { enabledChannels: [0], nbTrans: 3, dr: 1, txPowerIndex: 2, macErrors: {} },
  },
  {
    title: 'LinkADRAns: nobody asked',
    received: [linkADRAns(true, true, true)],
    session: { dr: 4 },
    expect: { dr: 4, macErrors: {} },
  },
  {
    title: 'DevStatusAns: a level',
    asked: [macCommand('DevStatusReq')],
    received: [macCommand('DevStatusAns', { battery: 127, margin: -3 })],
    status: { battery: 127, margin: -3, externalPowerSource: false, batteryLevelUnavailable: false, batteryLevel: 50 },
  },
  {
    title: 'DevStatusAns: external power',
    asked: [macCommand('DevStatusReq')],
    received: [macCommand('DevStatusAns', { battery: 0, margin: 7 })],
    status: { battery: 0, margin: 7, externalPowerSource: true, batteryLevelUnavailable: false, batteryLevel: 0 },
  },
  {
    title: 'DevStatusAns: only the margin is reported',
    asked: [macCommand('DevStatusReq')],
    received: [macCommand('DevStatusAns', { battery: 100, margin: 7 })],
    serviceProfile: { reportDevStatusBattery: false, reportDevStatusMargin: true },
    status: { battery: 255, margin: 7, externalPowerSource: false, batteryLevelUnavailable: true, batteryLevel: 0 },
  },
  {
    title: 'DevStatusAns: nobody asked',
    received: [macCommand('DevStatusAns', { battery: 100, margin: 7 })],
  },
  {
    title: 'NewChannelAns: one taken, one refused',
    asked: [newChannel(3, 867_100_000), newChannel(4, 867_300_000)],
    received: [newChannelAns(true), newChannelAns(false)],
    expect: {
      extraChannels: [{ index: 3, frequency: 867_100_000, minDR: 0, maxDR: 5 }],
      enabledChannels: [0, 1, 2, 3],
      macErrors: { 7: 1 },
    },
  },
  {
    title: 'NewChannelAns: frequency 0 removes',
    asked: [newChannel(3, 0)],
    received: [newChannelAns(true)],
    session: {
      extraChannels: [{ index: 3, frequency: 867_100_000, minDR: 0, maxDR: 5 }],
      enabledChannels: [0, 1, 2, 3],
    },
    expect: { extraChannels: [], enabledChannels: [0, 1, 2] },
  },
  {
    title: 'NewChannelAns: fewer answers than requests',
    asked: [newChannel(3, 867_100_000), newChannel(4, 867_300_000)],
    received: [newChannelAns(true)],
    expect: { extraChannels: [], pendingRequests: {} },
  },
  {
    title: 'RXParamSetupAns: taken, and a downlink must follow',
    asked: [rxParamSetup],
    received: [rxParamSetupAns(true)],
    mustSend: true,
    expect: { rx2Frequency: 869_000_000, rx2DataRate: 3, rx1DROffset: 2 },
  },
  {
    title: 'RXParamSetupAns: refused, and a downlink must follow',
    asked: [rxParamSetup],
    received: [rxParamSetupAns(false)],
    mustSend: true,
    expect: { rx2Frequency: 869_525_000, macErrors: { 5: 1 } },
  },
  {
    title: 'RXParamSetupAns: repeated until a downlink comes',
    received: [rxParamSetupAns(true)],
    mustSend: true,
    expect: { rx2Frequency: 869_525_000 },
  },
  {
    title: 'RXTimingSetupAns: taken, and a downlink must follow',
    asked: [macCommand('RXTimingSetupReq', { delay: 5 })],
    received: [macCommand('RXTimingSetupAns')],
    mustSend: true,
    expect: { rxDelay: 5 },
  },
  {
    title: 'TXParamSetupAns',
    asked: [macCommand('TXParamSetupReq', { uplinkDwellTime: 1, downlinkDwellTime: 0, maxEIRPCoded: 5 })],
    received: [macCommand('TXParamSetupAns')],
    expect: { uplinkDwellTime400ms: true, downlinkDwellTime400ms: false, maxEIRPIndex: 5 },
  },
  {
    title: 'DutyCycleAns only ends its request',
    asked: [macCommand('DutyCycleReq', { maxDCycle: 1 })],
    received: [macCommand('DutyCycleAns')],
    expect: { pendingRequests: {} },
  },
  {
    title: 'RekeyInd',
    received: [macCommand('RekeyInd', { devLoRaWANVersion: { minor: 2 } })],
    answers: [macCommand('RekeyConf', { servLoRaWANVersion: { minor: 1 } })],
  },
  {
    title: 'ResetInd: an ABP device is back at its boot parameters, its counters are not',
    received: [macCommand('ResetInd', { devLoRaWANVersion: { minor: 1 } })],
    deviceProfile: { rxDelay1: 3, factoryPresetFreqs: [868_100_000, 868_800_000] },
    session: { origin: 'ABP', txPowerIndex: 4, fCntUp: 77, rxDelay: 1 },
    answers: [macCommand('ResetConf', { servLoRaWANVersion: { minor: 1 } })],
    expect: {
      txPowerIndex: 0,
      fCntUp: 77,
      rxDelay: 3,
      extraChannels: [{ index: 3, frequency: 868_800_000, minDR: 0, maxDR: 5 }],
      enabledChannels: [0, 1, 2, 3],
    },
  },
  {
    title: 'DeviceTimeReq: by the clock of the gateway',
    received: [macCommand('DeviceTimeReq')],
    time: new Date('2026-11-21T12:00:01Z'),
    answers: [macCommand('DeviceTimeAns', { timeSinceGPSEpoch: gpsTimeOf(new Date('2026-11-21T12:00:01Z')) })],
  },
  {
    title: 'DeviceTimeReq: by GPS when a gateway has it',
    received: [macCommand('DeviceTimeReq')],
    time: new Date('2026-11-21T12:00:00Z'),
    gpsMs: gpsTimeOf(new Date('2026-11-21T12:00:00.500Z')),
    answers: [macCommand('DeviceTimeAns', { timeSinceGPSEpoch: gpsTimeOf(new Date('2026-11-21T12:00:00.500Z')) })],
  },
  {
    title: 'DeviceTimeReq: not by a gateway whose clock is off by more than the settings allow',
    received: [macCommand('DeviceTimeReq')],
    time: new Date('2018-12-29T12:00:00Z'),
    gpsMs: gpsTimeOf(new Date('2018-12-29T12:00:00Z')),
    answers: [macCommand('DeviceTimeAns', { timeSinceGPSEpoch: gpsTimeOf(new Date('2026-11-21T12:00:00Z')) })],
  },
  {
    title: 'DeviceTimeReq: by the gateway that has the right time when another one is wrong',
    received: [macCommand('DeviceTimeReq')],
    snrs: [8, 3],
    times: [new Date('2018-12-29T12:00:00Z'), new Date('2026-11-21T11:59:59Z')],
    answers: [macCommand('DeviceTimeAns', { timeSinceGPSEpoch: gpsTimeOf(new Date('2026-11-21T11:59:59Z')) })],
  },
  {
    title: 'DeviceTimeReq: by a gateway that is off by 3 s where the settings allow 5',
    received: [macCommand('DeviceTimeReq')],
    settings: { gatewayClockToleranceMs: 5000 },
    time: new Date('2026-11-21T12:00:03Z'),
    answers: [macCommand('DeviceTimeAns', { timeSinceGPSEpoch: gpsTimeOf(new Date('2026-11-21T12:00:03Z')) })],
  },
  {
    title: 'DeviceTimeReq: not by a GPS that has no time',
    received: [macCommand('DeviceTimeReq')],
    time: new Date('2026-11-21T12:00:00Z'),
    gpsMs: -1,
    answers: [macCommand('DeviceTimeAns', { timeSinceGPSEpoch: gpsTimeOf(new Date('2026-11-21T12:00:00Z')) })],
  },
  {
    title: 'DeviceTimeReq: not by a clock before GPS, and nothing else is harmed',
    received: [macCommand('DeviceTimeReq'), macCommand('LinkCheckReq')],
    time: new Date('1970-01-01T00:00:01Z'),
    answers: [
      macCommand('DeviceTimeAns', { timeSinceGPSEpoch: gpsTimeOf(new Date('2026-11-21T12:00:00Z')) }),
      macCommand('LinkCheckAns', { margin: 12, gwCnt: 1 }),
    ],
  },
  {
    title: 'DeviceTimeReq: not without any time, and nothing else is harmed',
    received: [macCommand('DeviceTimeReq'), macCommand('LinkCheckReq')],
    now: new Date('1970-01-01T00:00:01Z'),
    answers: [macCommand('LinkCheckAns', { margin: 12, gwCnt: 1 })],
  },
  {
    title: 'RejoinParamSetupAns',
    asked: [macCommand('RejoinParamSetupReq', { maxTimeN: 3, maxCountN: 4 })],
    received: [macCommand('RejoinParamSetupAns', { timeOK: false })],
    expect: { rejoinParams: { maxTimeN: 3, maxCountN: 4 } },
  },
  {
    title: 'PingSlotInfoReq',
    received: [macCommand('PingSlotInfoReq', { periodicity: 3 })],
    answers: [macCommand('PingSlotInfoAns')],
    expect: { pingSlotNb: 16 },
  },
  {
    title: 'PingSlotChannelAns',
    asked: [macCommand('PingSlotChannelReq', { frequency: 868_100_000, dr: 4 })],
    received: [macCommand('PingSlotChannelAns', { channelFrequencyOK: true, dataRateOK: true })],
    expect: { pingSlotDR: 4, pingSlotFrequency: 868_100_000 },
  },
  {
    title: 'BeaconFreqAns: taken',
    asked: [macCommand('BeaconFreqReq', { frequency: 868_900_000 })],
    received: [macCommand('BeaconFreqAns', { beaconFrequencyOK: true })],
    session: { macErrors: { 19: 2 } },
    expect: { beaconFrequency: 868_900_000, macErrors: {} },
  },
  {
    title: 'BeaconFreqAns: refused',
    asked: [macCommand('BeaconFreqReq', { frequency: 868_900_000 })],
    received: [macCommand('BeaconFreqAns', { beaconFrequencyOK: false })],
    expect: { beaconFrequency: 0, macErrors: { 19: 1 } },
  },
  {
    title: 'BeaconFreqAns: nobody asked',
    received: [macCommand('BeaconFreqAns', { beaconFrequencyOK: true })],
    expect: { beaconFrequency: 0 },
  },
  {
    title: 'BeaconTimingReq: not without any time, and nothing else is harmed',
    received: [macCommand('BeaconTimingReq'), macCommand('LinkCheckReq')],
    now: new Date('1970-01-01T00:00:01Z'),
    answers: [macCommand('LinkCheckAns', { margin: 12, gwCnt: 1 })],
  },
  {
    title: 'DeviceModeInd: class A',
    received: [macCommand('DeviceModeInd', { Class: 0 })],
    session: { mode: 'C' },
    answers: [macCommand('DeviceModeConf', { Class: 0 })],
    expect: { mode: 'A' },
  },
  {
    title: 'DeviceModeInd: class C',
    received: [macCommand('DeviceModeInd', { Class: 2 })],
    answers: [macCommand('DeviceModeConf', { Class: 2 })],
    expect: { mode: 'C' },
  },
  {
    title: 'NotifyNewEndDeviceReq: needs no answer, and what follows is handled',
    received: [
      macCommand('NotifyNewEndDeviceReq', { devAddr: '01020304', worSNR: 3, worRSSI: -90 }),
      macCommand('LinkCheckReq'),
    ],
    answers: [macCommand('LinkCheckAns', { margin: 12, gwCnt: 1 })],
  },
  {
    title: 'a vendor command is nobody’s business',
    received: [{ cid: 0x80, name: 'Proprietary', payload: { bytes: Uint8Array.of(1, 2) } }],
  },
  {
    title: 'several commands, one after the other',
    asked: [macCommand('DevStatusReq')],
    received: [
      macCommand('LinkCheckReq'),
      macCommand('DevStatusAns', { battery: 254, margin: 1 }),
      macCommand('PingSlotInfoReq', { periodicity: 7 }),
    ],
    snrs: [0],
    answers: [macCommand('LinkCheckAns', { margin: 7, gwCnt: 1 }), macCommand('PingSlotInfoAns')],
    status: { battery: 254, margin: 1, externalPowerSource: false, batteryLevelUnavailable: false, batteryLevel: 100 },
  },
];

describe('received MAC commands', () => {
  for (const {
    title,
    asked = [],
    received: said,
    answers = [],
    mustSend = false,
    status,
    session,
    expect,
    ...rest
  } of cases) {
    it(title, () => {
      const context = createMacContext({ ...rest, session });
      const [first] = asked;
      if (first) context.session.pendingRequests[first.cid] = encodeMacCommands('down', asked).toHex();
      const outcome = handleMacCommands(said, context);
      assert.deepEqual(outcome, { answers, mustSend, statuses: status ? [status] : [] });
      const after = context.session as unknown as Record<string, unknown>;
      for (const [name, value] of Object.entries(expect ?? {})) assert.deepEqual(after[name], value, name);
    });
  }
});

interface RequestCase extends MacContextOptions {
  title: string;
  session?: Partial<DeviceSession>;
  expect: MacCommand[][];
}

const extra = (count: number) =>
  Array.from({ length: count }, (_, place) => ({ frequency: 867_100_000 + place * 200_000, minDR: 0, maxDR: 5 }));
const known = (count: number) => extra(count).map((channel, place) => ({ index: 3 + place, ...channel }));

/** A full history at one power. */
const steady = (maxSNR: number, txPowerIndex: number) =>
  Array.from({ length: 20 }, (_, fCnt) => ({ fCnt, maxSNR, maxRSSI: -40, txPowerIndex, gatewayCount: 1 }));

const requests: RequestCase[] = [
  { title: 'nothing when all is as it shall be', expect: [] },
  {
    title: 'three new channels at most, and no LinkADRReq beside them',
    settings: { extraChannels: extra(5) },
    session: { enabledChannels: [0, 1] },
    expect: [[newChannel(3, 867_100_000), newChannel(4, 867_300_000), newChannel(5, 867_500_000)]],
  },
  {
    title: 'a channel mask when the device uses other channels',
    settings: { extraChannels: extra(1) },
    session: { extraChannels: known(1), enabledChannels: [0, 1, 2] },
    expect: [[linkADR(5, 0, [0, 1, 2, 3])]],
  },
  {
    title: 'a preset channel of an ABP device is silenced, not deleted',
    session: { extraChannels: known(1), enabledChannels: [0, 1, 2, 3] },
    expect: [[linkADR(5, 0, [0, 1, 2])]],
  },
  {
    title: 'the device status when it is due',
    serviceProfile: { devStatusReqFreq: 24, reportDevStatusBattery: true },
    session: { lastDevStatusRequestedAt: null },
    expect: [[macCommand('DevStatusReq')]],
  },
  {
    title: 'no less power than the highest index a device takes, were it 0',
    session: {
      adr: true,
      highestTxPowerIndex: 0,
      uplinkHistory: steady(30, 0),
    },
    expect: [],
  },
  {
    title: 'no faster data-rate than a limit of 0, but less power',
    serviceProfile: { drMax: 0 },
    session: {
      adr: true,
      dr: 0,
      highestTxPowerIndex: 1,
      uplinkHistory: steady(30, 0),
    },
    expect: [[linkADR(0, 1)]],
  },
  {
    title: 'the device status, though nothing of it is shown',
    serviceProfile: { devStatusReqFreq: 24, reportDevStatusBattery: false, reportDevStatusMargin: false },
    session: { lastDevStatusRequestedAt: null },
    expect: [[macCommand('DevStatusReq')]],
  },
  {
    title: 'no device status within the interval',
    serviceProfile: { devStatusReqFreq: 24, reportDevStatusBattery: true },
    session: { lastDevStatusRequestedAt: Date.UTC(2026, 10, 21, 11, 1) },
    expect: [],
  },
  {
    title: 'rejoin parameters to a 1.1 device',
    settings: { rejoinRequest: { maxTimeN: 1, maxCountN: 2 } },
    session: { macVersion: '1.1.0' },
    expect: [[macCommand('RejoinParamSetupReq', { maxTimeN: 1, maxCountN: 2 })]],
  },
  {
    title: 'receive windows as the settings say',
    settings: { rx2Frequency: 869_000_000, rx2DataRate: 3, rx1DROffset: 2, rx1Delay: 5 },
    expect: [[rxParamSetup], [macCommand('RXTimingSetupReq', { delay: 5 })]],
  },
  {
    title: 'ping slots of a class B device',
    deviceProfile: { supportsClassB: true },
    settings: { classBPingSlotDR: 4, classBPingSlotFrequency: 868_100_000 },
    expect: [[macCommand('PingSlotChannelReq', { frequency: 868_100_000, dr: 4 })]],
  },
  {
    title: 'where the beacons of a class B device are, and to no other device',
    deviceProfile: { supportsClassB: true, pingSlotDr: 3, pingSlotFreq: 0 },
    settings: { classBBeaconFrequency: 868_900_000, classBPingSlotDR: 3 },
    expect: [[macCommand('BeaconFreqReq', { frequency: 868_900_000 })]],
  },
  { title: 'nothing of beacons to class A', settings: { classBBeaconFrequency: 868_900_000 }, expect: [] },
  {
    title: 'not what was refused too often',
    settings: { rx1Delay: 5, rx2DataRate: 3 },
    session: { macErrors: { 5: 4, 8: 3 } },
    expect: [[macCommand('RXTimingSetupReq', { delay: 5 })]],
  },
  { title: 'nothing when MAC commands are off', settings: { rx1Delay: 5, disableMACCommands: true }, expect: [] },
];

describe('a command that cannot be handled', () => {
  it('is counted and affects no other command', () => {
    const counted: unknown[] = [];
    const context = createMacContext({});
    context.network.count = (...count) => void counted.push(count);
    context.network.clock.now = () => assert.fail('no clock');
    const commands = [macCommand('DeviceTimeReq'), macCommand('LinkCheckReq')];
    const { answers } = handleMacCommands(commands, context);
    assert.deepEqual(
      answers.map(({ name }) => name),
      ['LinkCheckAns'],
    );
    assert.deepEqual(counted, [['mac_commands_failed', { name: 'DeviceTimeReq' }]]);
  });
});

describe('a relay that receives many devices', () => {
  it('causes one log line for each of its uplinks', () => {
    const context = createMacContext({});
    const lines: object[] = [];
    context.network.log.info = (fields) => void lines.push(fields);
    const one = macCommand('NotifyNewEndDeviceReq', { devAddr: '01020304', worSNR: 3, worRSSI: -90 });
    handleMacCommands([one, one, one], context);
    assert.equal(lines.length, 1);
  });
});

describe('every command of a device in the standard', () => {
  it('is handled, except for answers to requests that are never sent', () => {
    const names = Array.from({ length: 0x80 }, (_, cid) => {
      const [command] = decodeMacCommands('up', Uint8Array.of(cid, ...new Uint8Array(8)));
      return command?.name ?? 'Unknown';
    });
    const known = names.filter((name) => name !== 'Unknown');
    assert.equal(known.length, 20);
    const left = known.filter((name) => !macRules.has(name as MacCommandName));
    assert.deepEqual(left, ['DutyCycleAns', 'DLChannelAns', 'ADRParamSetupAns']);
  });
});

describe('requests of the network', () => {
  for (const { title, expect, session, ...rest } of requests) {
    it(title, () => assert.deepEqual(networkRequests(createMacContext({ ...rest, session })), expect));
  }
});
