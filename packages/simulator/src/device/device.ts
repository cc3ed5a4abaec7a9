/**
 * A LoRaWAN end device with real keys. It has no clock and no radio: it returns transmissions, with the windows in
 * which it listens afterwards, and gets the frames that it receives in them.
 */
import type { MacCommand, Region } from '@hilltop/lorawan';
import {
  beaconPeriodSeconds,
  encodeFrame,
  FrameError,
  joinRequestMic,
  macCommand,
  modulationOf,
  nextPingSlot,
  pingSlotFrequency,
  region as regionOf,
} from '@hilltop/lorawan';
import type { Random } from '../random.ts';
import { below } from '../random.ts';
import { asksForDownlink, backOff } from './adr-backoff.ts';
import type { DeviceOptions } from './device-options.ts';
import { groupSessionsOf, resetInd, rootKeysOf, sessionOf } from './device-options.ts';
import { readDownlink } from './downlink.ts';
import { acceptJoin } from './join.ts';
import type { MacAnswer } from './mac-answers.ts';
import { answerMacCommands } from './mac-answers.ts';
import type { Received } from './received.ts';
import type { DeviceSession } from './session.ts';
import { bootRadio } from './session.ts';
import type { ReceiveWindow, Transmission } from './transmission.ts';
import { pickChannel, transmissionOf } from './transmission.ts';
import type { UplinkMessage } from './uplink.ts';
import { buildUplink } from './uplink.ts';

export interface Device {
  readonly devEUI: string;
  readonly joinEUI: string;
  readonly macVersion: string;
  readonly region: Region;
  /** A 1.1 device informs the network when it changes between class A and C. */
  classC: boolean;
  /** null before the first join. */
  readonly session: DeviceSession | null;
  /** Every attempt uses a new DevNonce. The data-rate is that of the session, or the fastest of the region. */
  joinRequest(options?: { dataRate?: number }): Transmission;
  /** The next data uplink with the pending MAC answers. @throws Error before a join */
  uplink(message?: UplinkMessage): Transmission;
  /** The last uplink once more with the same FCnt, on a random channel. */
  repeat(): Transmission;
  /** Adds a request to the next uplink. */
  ask(request: 'LinkCheckReq' | 'DeviceTimeReq'): void;
  /** The frequency and modulation at which a class C device listens outside its windows: those of RX2. */
  listensOn(): Pick<ReceiveWindow, 'frequency' | 'modulation'> | null;
  /** The ping slot that a class B device opens at that GPS time in milliseconds; null when it opens none. */
  pingSlotAt(gpsMs: number): Pick<ReceiveWindow, 'frequency' | 'modulation'> | null;
  /** Whether a class B device receives beacons. Without them it opens no ping slots. */
  hearsBeacons: boolean;
  /** Processes a received frame; the device reports `snr` (dB) as margin. Never throws. */
  receive(phyPayload: Uint8Array, snr?: number): Received;
  /** The level in DevStatusAns: 0 external power, 1 to 254 level, 255 unknown. */
  battery: number;
}

const joinAcceptDelayMs = 5000;

export function createDevice(options: DeviceOptions): Device {
  const { devEUI, joinEUI = '0000000000000000', macVersion = '1.0.3', classB, adr = true } = options;
  const random: Random = options.random ?? Math.random;
  const region = typeof options.region === 'object' ? options.region : regionOf(options.region ?? 'EU868');
  const rootKeys = rootKeysOf(options);
  let session = sessionOf(options, region, macVersion);
  const groups = groupSessionsOf(options, region);
  let devNonce = options.devNonce ?? below(random, 0x8000);
  let joining: { devNonce: number; dataRate: number } | null = null;
  let lastJoinNonce = -1;
  let last: { message: UplinkMessage; commands: MacCommand[]; toAcknowledge: number | null } | null = null;
  let classC = options.classC ?? false;
  const mode = () => (macVersion.startsWith('1.1') ? [macCommand('DeviceModeInd', { Class: classC ? 2 : 0 })] : []);
  const classWords = (): MacCommand[] => [
    ...(classC ? mode() : []),
    ...(classB ? [macCommand('PingSlotInfoReq', { periodicity: classB.periodicity })] : []),
  ];
  const announce = (words: MacCommand[]) => [...words, ...classWords()].map((command) => ({ command, repeated: true }));
  let answers: MacAnswer[] = announce(session?.version === '1.1' ? [resetInd] : []);
  let hearsBeacons = true;
  let hasPingSlots = false;
  let battery = options.battery ?? 0xff;
  let uplinksInSilence = 0;

  function send(active: DeviceSession, message: UplinkMessage, commands: readonly MacCommand[]): Transmission {
    const channel = pickChannel(region, active.radio, random);
    const header = { adr, classB: hasPingSlots && hearsBeacons, channel: channel.index, commands };
    const phyPayload = buildUplink(active, message, header);
    return transmissionOf(phyPayload, region, active.radio, channel);
  }

  function receiveJoinAccept(phyPayload: Uint8Array): Received {
    if (!joining || !rootKeys) return { kind: 'refused', reason: 'unexpected' };
    const joined = acceptJoin(phyPayload, { rootKeys, joinEUI, devEUI, macVersion, region, ...joining });
    if (!joined) return { kind: 'refused', reason: 'mic' };
    if (countsJoinNonces(macVersion) && joined.joinNonce <= lastJoinNonce)
      return { kind: 'refused', reason: 'replayed' };
    lastJoinNonce = joined.joinNonce;
    session = joined.session;
    uplinksInSilence = 0;
    hasPingSlots = false;
    joining = null;
    answers = announce(joined.firstWords);
    return { kind: 'joined', devAddr: session.devAddr };
  }

  function receiveData(phyPayload: Uint8Array, snr: number): Received {
    if (!session) return { kind: 'refused', reason: 'unexpected' };
    const received = readDownlink(session, phyPayload);
    if (received.kind === 'refused' && received.reason === 'other-device')
      return receiveOfGroup(phyPayload) ?? received;
    if (received.kind !== 'data') return received;
    uplinksInSilence = 0;
    const heard = received.commands.map(({ name }) => name);
    hasPingSlots ||= heard.includes('PingSlotInfoAns');
    answers = answers.filter(({ command: { name } }) => isAnnouncement(name) && !heard.includes(confirmations[name]));
    answers.push(...answerMacCommands({ region, macVersion, radio: session.radio, battery, snr }, received.commands));
    return received;
  }

  function receiveOfGroup(phyPayload: Uint8Array): Received | undefined {
    const heard = groups.map((group) => readDownlink(group, phyPayload));
    return heard.find((received) => received.kind !== 'refused' || received.reason !== 'other-device');
  }

  return {
    devEUI,
    joinEUI,
    macVersion,
    region,
    get classC() {
      return classC;
    },
    set classC(value) {
      classC = value;
      answers = answers.filter(({ command: { name } }) => name !== 'DeviceModeInd');
      answers.push(...mode().map((command) => ({ command, repeated: true })));
    },
    get session() {
      return session;
    },
    get battery() {
      return battery;
    },
    set battery(level) {
      battery = level;
    },
    joinRequest({ dataRate } = {}) {
      if (!rootKeys) throw new Error('This device has no root keys to join with.');
      devNonce = (devNonce + 1) % 0x10000;
      const boot = bootRadio(region);
      const radio = { ...boot, dataRate: dataRate ?? session?.radio.dataRate ?? boot.dataRate };
      joining = { devNonce, dataRate: radio.dataRate };
      const request = { mType: 'JoinRequest', major: 0, joinEUI, devEUI, devNonce } as const;
      const unsigned = encodeFrame({ ...request, mic: new Uint8Array(4) }).subarray(0, -4);
      const mic = joinRequestMic(rootKeys.nwkKey, unsigned);
      const channel = pickChannel(region, radio, random);
      return transmissionOf(encodeFrame({ ...request, mic }), region, radio, channel, joinAcceptDelayMs);
    },
    uplink(message = {}) {
      if (!session) throw new Error('The device has not joined.');
      if (adr) backOff(uplinksInSilence, session.radio, region);
      const adrAckReq = message.adrAckReq ?? (adr && asksForDownlink(uplinksInSilence, session.radio));
      uplinksInSilence += 1;
      last = {
        message: { ...message, adrAckReq },
        commands: answers.map(({ command }) => command),
        toAcknowledge: session.toAcknowledge,
      };
      const transmission = send(session, last.message, last.commands);
      answers = answers.filter(({ repeated }) => repeated);
      if (message.confirmed) session.confirmedFCntUp = session.fCntUp;
      session.fCntUp += 1;
      return transmission;
    },
    repeat() {
      if (!session || !last) throw new Error('There is no uplink to repeat.');
      const again = { ...session, fCntUp: session.fCntUp - 1, toAcknowledge: last.toAcknowledge };
      return send(again, last.message, last.commands);
    },
    ask(request) {
      answers.push({ command: macCommand(request), repeated: false });
    },
    listensOn() {
      const rx2 = classC ? session?.radio.rx2 : undefined;
      return rx2 ? { frequency: rx2.frequency, modulation: modulationOf(region, rx2.dataRate) } : null;
    },
    pingSlotAt(gpsMs) {
      if (!session || !classB || !hasPingSlots || !hearsBeacons) return null;
      const { devAddr, radio } = session;
      if (nextPingSlot(devAddr, gpsMs - 1, 2 ** (7 - classB.periodicity)) !== gpsMs) return null;
      const beaconTime = Math.floor(gpsMs / 1000 / beaconPeriodSeconds) * beaconPeriodSeconds;
      const frequency = radio.pingSlot.frequency || pingSlotFrequency(region, devAddr, beaconTime);
      return { frequency, modulation: modulationOf(region, radio.pingSlot.dataRate) };
    },
    get hearsBeacons() {
      return hearsBeacons;
    },
    set hearsBeacons(value) {
      hearsBeacons = value;
    },
    receive(phyPayload, snr = 10) {
      try {
        return isJoinAccept(phyPayload) ? receiveJoinAccept(phyPayload) : receiveData(phyPayload, snr);
      } catch (error) {
        if (error instanceof FrameError) return { kind: 'refused', reason: 'malformed' };
        throw error;
      }
    },
  };
}

function isJoinAccept(phyPayload: Uint8Array): boolean {
  return (phyPayload[0] ?? 0) >>> 5 === 1;
}

/**
 * Requests that are repeated until the network confirms them: for the new keys of a 1.1 join, the restart of a 1.1 ABP
 * device, its class, its ping slots.
 */
const confirmations = {
  RekeyInd: 'RekeyConf',
  ResetInd: 'ResetConf',
  DeviceModeInd: 'DeviceModeConf',
  PingSlotInfoReq: 'PingSlotInfoAns',
} as const;

function isAnnouncement(name: MacCommand['name']): name is keyof typeof confirmations {
  return name in confirmations;
}

/** Whether a JoinNonce that does not increase is a replay: from 1.0.4 on. */
function countsJoinNonces(macVersion: string): boolean {
  return macVersion >= '1.0.4';
}
