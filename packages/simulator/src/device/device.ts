/**
 * A LoRaWAN end device with real keys. It has no clock and no radio: it returns transmissions, with the windows in
 * which it listens afterwards, and gets the frames that it receives in them.
 */
import type { MacCommand, Region } from '@hilltop/lorawan';
import {
  beaconPeriodSeconds,
  FrameError,
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
import { acceptJoin, buildJoinRequest, type RootKeys } from './join.ts';
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
  receivesBeacons: boolean;
  /** Processes a received frame; the device reports `snr` (dB) as margin. Never throws. */
  receive(phyPayload: Uint8Array, snr?: number): Received;
  /** The level in DevStatusAns: 0 external power, 1 to 254 level, 255 unknown. */
  battery: number;
}

const joinAcceptDelayMs = 5000;

export function createDevice(options: DeviceOptions): Device {
  return new SimulatedDevice(options);
}

class SimulatedDevice implements Device {
  readonly devEUI: string;
  readonly joinEUI: string;
  readonly macVersion: string;
  readonly region: Region;
  receivesBeacons = true;
  battery: number;
  readonly #classB: DeviceOptions['classB'];
  readonly #adr: boolean;
  readonly #random: Random;
  readonly #rootKeys: RootKeys | null;
  readonly #groups: DeviceSession[];
  #session: DeviceSession | null;
  #devNonce: number;
  #joining: { devNonce: number; dataRate: number } | null = null;
  #lastJoinNonce = -1;
  #last: { message: UplinkMessage; commands: MacCommand[]; toAcknowledge: number | null } | null = null;
  #classC: boolean;
  #answers: MacAnswer[];
  #hasPingSlots = false;
  #uplinksInSilence = 0;

  constructor(options: DeviceOptions) {
    this.devEUI = options.devEUI;
    this.joinEUI = options.joinEUI ?? '0000000000000000';
    this.macVersion = options.macVersion ?? '1.0.3';
    this.region = typeof options.region === 'object' ? options.region : regionOf(options.region ?? 'EU868');
    this.battery = options.battery ?? 0xff;
    this.#classB = options.classB;
    this.#adr = options.adr ?? true;
    this.#random = options.random ?? Math.random;
    this.#rootKeys = rootKeysOf(options);
    this.#groups = groupSessionsOf(options, this.region);
    this.#session = sessionOf(options, this.region, this.macVersion);
    this.#devNonce = options.devNonce ?? below(this.#random, 0x8000);
    this.#classC = options.classC ?? false;
    this.#answers = this.#announce(this.#session?.version === '1.1' ? [resetInd] : []);
  }

  get classC(): boolean {
    return this.#classC;
  }

  set classC(value: boolean) {
    this.#classC = value;
    this.#answers = this.#answers.filter(({ command: { name } }) => name !== 'DeviceModeInd');
    this.#answers.push(...this.#deviceMode().map((command) => ({ command, repeated: true })));
  }

  get session(): DeviceSession | null {
    return this.#session;
  }

  joinRequest({ dataRate }: { dataRate?: number } = {}): Transmission {
    if (!this.#rootKeys) throw new Error('This device has no root keys to join with.');
    this.#devNonce = (this.#devNonce + 1) % 0x10000;
    const boot = bootRadio(this.region);
    const radio = { ...boot, dataRate: dataRate ?? this.#session?.radio.dataRate ?? boot.dataRate };
    this.#joining = { devNonce: this.#devNonce, dataRate: radio.dataRate };
    const phyPayload = buildJoinRequest(this.#rootKeys, this.joinEUI, this.devEUI, this.#devNonce);
    const channel = pickChannel(this.region, radio, this.#random);
    return transmissionOf(phyPayload, this.region, radio, channel, joinAcceptDelayMs);
  }

  uplink(message: UplinkMessage = {}): Transmission {
    if (!this.#session) throw new Error('The device has not joined.');
    if (this.#adr) backOff(this.#uplinksInSilence, this.#session.radio, this.region);
    const adrAckReq = message.adrAckReq ?? (this.#adr && asksForDownlink(this.#uplinksInSilence, this.#session.radio));
    this.#uplinksInSilence += 1;
    this.#last = {
      message: { ...message, adrAckReq },
      commands: this.#answers.map(({ command }) => command),
      toAcknowledge: this.#session.toAcknowledge,
    };
    const transmission = this.#send(this.#session, this.#last.message, this.#last.commands);
    this.#answers = this.#answers.filter(({ repeated }) => repeated);
    if (message.confirmed) this.#session.confirmedFCntUp = this.#session.fCntUp;
    this.#session.fCntUp += 1;
    return transmission;
  }

  repeat(): Transmission {
    if (!this.#session || !this.#last) throw new Error('There is no uplink to repeat.');
    const again = { ...this.#session, fCntUp: this.#session.fCntUp - 1, toAcknowledge: this.#last.toAcknowledge };
    return this.#send(again, this.#last.message, this.#last.commands);
  }

  ask(request: 'LinkCheckReq' | 'DeviceTimeReq'): void {
    this.#answers.push({ command: macCommand(request), repeated: false });
  }

  listensOn(): Pick<ReceiveWindow, 'frequency' | 'modulation'> | null {
    const rx2 = this.#classC ? this.#session?.radio.rx2 : undefined;
    return rx2 ? { frequency: rx2.frequency, modulation: modulationOf(this.region, rx2.dataRate) } : null;
  }

  pingSlotAt(gpsMs: number): Pick<ReceiveWindow, 'frequency' | 'modulation'> | null {
    if (!this.#session || !this.#classB || !this.#hasPingSlots || !this.receivesBeacons) return null;
    const { devAddr, radio } = this.#session;
    if (nextPingSlot(devAddr, gpsMs - 1, 2 ** (7 - this.#classB.periodicity)) !== gpsMs) return null;
    const beaconTime = Math.floor(gpsMs / 1000 / beaconPeriodSeconds) * beaconPeriodSeconds;
    const frequency = radio.pingSlot.frequency || pingSlotFrequency(this.region, devAddr, beaconTime);
    return { frequency, modulation: modulationOf(this.region, radio.pingSlot.dataRate) };
  }

  receive(phyPayload: Uint8Array, snr = 10): Received {
    try {
      return isJoinAccept(phyPayload) ? this.#receiveJoinAccept(phyPayload) : this.#receiveData(phyPayload, snr);
    } catch (error) {
      if (error instanceof FrameError) return { kind: 'refused', reason: 'malformed' };
      throw error;
    }
  }

  #deviceMode(): MacCommand[] {
    return this.macVersion.startsWith('1.1') ? [macCommand('DeviceModeInd', { Class: this.#classC ? 2 : 0 })] : [];
  }

  #classWords(): MacCommand[] {
    return [
      ...(this.#classC ? this.#deviceMode() : []),
      ...(this.#classB ? [macCommand('PingSlotInfoReq', { periodicity: this.#classB.periodicity })] : []),
    ];
  }

  #announce(words: MacCommand[]): MacAnswer[] {
    return [...words, ...this.#classWords()].map((command) => ({ command, repeated: true }));
  }

  #send(active: DeviceSession, message: UplinkMessage, commands: readonly MacCommand[]): Transmission {
    const channel = pickChannel(this.region, active.radio, this.#random);
    const header = {
      adr: this.#adr,
      classB: this.#hasPingSlots && this.receivesBeacons,
      channel: channel.index,
      commands,
    };
    const phyPayload = buildUplink(active, message, header);
    return transmissionOf(phyPayload, this.region, active.radio, channel);
  }

  #receiveJoinAccept(phyPayload: Uint8Array): Received {
    if (!this.#joining || !this.#rootKeys) return { kind: 'refused', reason: 'unexpected' };
    const { devEUI, joinEUI, macVersion, region } = this;
    const identity = { rootKeys: this.#rootKeys, joinEUI, devEUI, macVersion, region };
    const joined = acceptJoin(phyPayload, { ...identity, ...this.#joining });
    if (!joined) return { kind: 'refused', reason: 'mic' };
    if (countsJoinNonces(this.macVersion) && joined.joinNonce <= this.#lastJoinNonce)
      return { kind: 'refused', reason: 'replayed' };
    this.#lastJoinNonce = joined.joinNonce;
    this.#session = joined.session;
    this.#uplinksInSilence = 0;
    this.#hasPingSlots = false;
    this.#joining = null;
    this.#answers = this.#announce(joined.firstWords);
    return { kind: 'joined', devAddr: this.#session.devAddr };
  }

  #receiveData(phyPayload: Uint8Array, snr: number): Received {
    if (!this.#session) return { kind: 'refused', reason: 'unexpected' };
    const received = readDownlink(this.#session, phyPayload);
    if (received.kind === 'refused' && received.reason === 'other-device')
      return this.#receiveOfGroup(phyPayload) ?? received;
    if (received.kind !== 'data') return received;
    this.#uplinksInSilence = 0;
    const arrived = received.commands.map(({ name }) => name);
    this.#hasPingSlots ||= arrived.includes('PingSlotInfoAns');
    this.#answers = this.#answers.filter(
      ({ command: { name } }) => isAnnouncement(name) && !arrived.includes(confirmations[name]),
    );
    const { region, macVersion, battery } = this;
    const settings = { region, macVersion, radio: this.#session.radio, battery, snr };
    this.#answers.push(...answerMacCommands(settings, received.commands));
    return received;
  }

  #receiveOfGroup(phyPayload: Uint8Array): Received | undefined {
    const arrived = this.#groups.map((group) => readDownlink(group, phyPayload));
    return arrived.find((received) => received.kind !== 'refused' || received.reason !== 'other-device');
  }
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
