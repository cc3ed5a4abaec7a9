/**
 * The radio channel between devices and gateways. Gateways in reach receive an uplink, each with its own signal; a
 * device receives a downlink that matches time, frequency and data rate of one of its windows.
 */
import type { Txpk } from '@hilltop/gateway-protocols';
import { gpsTimeOf } from '@hilltop/lorawan';
import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';
import type { Device } from './device/device.ts';
import type { Received } from './device/received.ts';
import type { ReceiveWindow, Transmission } from './device/transmission.ts';
import type { UplinkMessage } from './device/uplink.ts';
import type { Downlink, Gateway } from './gateway.ts';
import type { Position, Signal } from './radio.ts';
import { distanceKm, isHeard, signalAt } from './radio.ts';
import type { Random } from './random.ts';
import { modulationFields } from './rxpk.ts';

/** The interface of a gateway to the radio channel, independent of its protocol. */
export type Antenna = Pick<Gateway, 'gatewayID' | 'position' | 'receiveFrame' | 'onDownlink' | 'concentratorTime'>;

/** The position of a device; without one it is next to every gateway. */
export interface Coordinates {
  position?: Position;
  /** The loss by walls, in dB. */
  lossDb?: number;
}

/** The result of one uplink. */
export interface Exchange {
  transmission: Transmission;
  receivedBy: { gateway: Antenna; signal: Signal }[];
  /** Whether the server acknowledged it to a gateway. */
  acknowledged: boolean;
  /** The downlink in one of its windows, if the caller waited for it and it arrived. */
  received: Received | null;
}

export interface NetworkOptions {
  gateways: readonly Antenna[];
  /** true: downlinks reach the device when their window opens; false: as soon as the gateway has them. */
  onTime?: boolean;
  /** Called for everything that devices receive, including class B and C downlinks. */
  onReceived?: (device: Device, received: Received) => void;
  clock?: Clock;
  random?: Random;
}

export interface SimulatedNetwork {
  /** The number of downlinks that met no open window. */
  readonly missed: number;
  setPosition(device: Device, place: Coordinates): void;
  /** Sends a transmission; with `wait`, waits for the downlink that may answer it. */
  transmit(device: Device, transmission: Transmission, wait?: boolean): Promise<Exchange>;
  /** Sends a join-request; true when the device has joined. */
  join(device: Device, options?: { dataRate?: number }): Promise<boolean>;
  /**
   * Sends data, NbTrans times unless a downlink arrives. Waits for the answer to a confirmed uplink, or when `wait` is
   * set.
   */
  send(device: Device, message?: UplinkMessage & { wait?: boolean }): Promise<Exchange>;
  stop(): void;
}

interface Listening {
  device: Device;
  window: ReceiveWindow;
  receiveFrame: (received: Received) => void;
}

/** How much longer than the window to wait, since downlinks may arrive late in a slow test. */
const patienceMs = 1000;

export function createNetwork(options: NetworkOptions): SimulatedNetwork {
  return new RadioChannel(options);
}

class RadioChannel implements SimulatedNetwork {
  readonly #gateways: readonly Antenna[];
  readonly #onTime: boolean;
  readonly #onReceived: NetworkOptions['onReceived'];
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #places = new Map<Device, Coordinates>();
  readonly #listening = new Map<string, Set<Listening>>();
  readonly #timers = new Set<() => void>();
  readonly #subscriptions: (() => void)[];
  #missed = 0;

  constructor(options: NetworkOptions) {
    const { gateways, onTime = false, onReceived } = options;
    this.#gateways = gateways;
    this.#onTime = onTime;
    this.#onReceived = onReceived;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#subscriptions = gateways.map((gateway) => gateway.onDownlink((downlink) => this.#deliver(gateway, downlink)));
  }

  async transmit(device: Device, transmission: Transmission, wait = false): Promise<Exchange> {
    if (!this.#places.has(device)) this.#places.set(device, {});
    const { promise, resolve } = Promise.withResolvers<Received | null>();
    const receivedBy = this.#gateways
      .map((gateway) => ({ gateway, signal: this.#signalBetween(device, gateway, transmission) }))
      .filter(({ signal }) => isHeard(signal, transmission.modulation));
    const closes: (() => void)[] = [];
    const pushes = receivedBy.map(({ gateway, signal }) => {
      const { tmst, acknowledged } = gateway.receiveFrame(transmission, signal);
      closes.push(this.#listen(device, transmission, { gateway, tmst, receiveFrame: resolve }));
      return acknowledged;
    });
    this.#later(Math.max(...transmission.windows.map(({ delayMs }) => delayMs)) + patienceMs, () => {
      for (const close of closes) close();
      resolve(null);
    });
    const acknowledged = await anyTrue(pushes);
    return { transmission, receivedBy, acknowledged, received: wait && acknowledged ? await promise : null };
  }

  get missed(): number {
    return this.#missed;
  }

  setPosition(device: Device, setPosition: Coordinates): void {
    this.#places.set(device, setPosition);
  }

  async join(device: Device, joinOptions?: { dataRate?: number }): Promise<boolean> {
    const { received } = await this.transmit(device, device.joinRequest(joinOptions), true);
    return received?.kind === 'joined';
  }

  async send(device: Device, { wait, ...message }: UplinkMessage & { wait?: boolean } = {}): Promise<Exchange> {
    const nbTrans = device.session?.radio.nbTrans ?? 1;
    const isWaiting = (wait ?? message.confirmed ?? false) || nbTrans > 1;
    const exchange = await this.transmit(device, device.uplink(message), isWaiting);
    const fCntUp = device.session?.fCntUp;
    const isLatest = () => device.session?.fCntUp === fCntUp;
    for (let times = 1; times < nbTrans && !exchange.received && isLatest(); times++) {
      const { receivedBy, acknowledged, received } = await this.transmit(device, device.repeat(), true);
      exchange.receivedBy.push(...receivedBy);
      exchange.acknowledged ||= acknowledged;
      exchange.received = received;
    }
    return exchange;
  }

  stop(): void {
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    for (const cancel of this.#timers) cancel();
  }

  #signalBetween(device: Device, gateway: Antenna, sent: Pick<Transmission, 'power' | 'modulation'>): Signal {
    const { position, lossDb = 0 } = this.#places.get(device) ?? {};
    const km = position && gateway.position ? distanceKm(position, gateway.position) : 0.1;
    return signalAt(sent, km, { lossDb, random: this.#random });
  }

  #hand(device: Device, phyPayload: Uint8Array, snr: number): Received {
    const received = device.receive(phyPayload, snr);
    if (received.kind !== 'refused' || received.reason !== 'other-device') this.#onReceived?.(device, received);
    return received;
  }

  #deliver(gateway: Antenna, { txpk, phyPayload }: Downlink): void {
    if (txpk.imme && txpk.modu === 'LORA' && !txpk.ipol) return this.#deliverToGateways(gateway, txpk, phyPayload);
    if (txpk.imme) return this.#deliverAtOnce(gateway, txpk, phyPayload);
    if (txpk.tmms !== undefined) return this.#deliverInPingSlot(gateway, txpk, phyPayload, txpk.tmms);
    const arrived = [...(this.#listening.get(windowKey(gateway, txpk.tmst ?? -1)) ?? [])].filter(({ window }) =>
      fits(txpk, window),
    );
    if (arrived.length === 0) this.#missed += 1;
    const waitMs = this.#onTime ? (((txpk.tmst ?? 0) - gateway.concentratorTime() + 2 ** 32) % 2 ** 32) / 1000 : 0;
    for (const { device, window, receiveFrame } of arrived) {
      const signal = this.#signalBetween(device, gateway, { power: txpk.powe, modulation: window.modulation });
      if (!isHeard(signal, window.modulation)) continue;
      if (waitMs > 0) this.#later(waitMs, () => receiveFrame(this.#hand(device, phyPayload, signal.snr)));
      else receiveFrame(this.#hand(device, phyPayload, signal.snr));
    }
  }

  /** Delivers to class C devices, which always listen with the settings of RX2. */
  #deliverAtOnce(gateway: Antenna, txpk: Txpk, phyPayload: Uint8Array): void {
    for (const device of this.#places.keys()) {
      const window = device.listensOn();
      if (!window || !fits(txpk, window)) continue;
      const signal = this.#signalBetween(device, gateway, { power: txpk.powe, modulation: window.modulation });
      if (isHeard(signal, window.modulation)) this.#hand(device, phyPayload, signal.snr);
    }
  }

  /** Delivers to class B devices, whose slots depend on GPS time, whichever gateway sends. */
  #deliverInPingSlot(gateway: Antenna, txpk: Txpk, phyPayload: Uint8Array, gpsMs: number): void {
    const waitMs = this.#onTime ? gpsMs - gpsTimeOf(this.#clock.now()) : 0;
    let isHeardByAny = false;
    for (const device of this.#places.keys()) {
      const window = device.pingSlotAt(gpsMs);
      if (!window || !fits(txpk, window)) continue;
      isHeardByAny = true;
      const signal = this.#signalBetween(device, gateway, { power: txpk.powe, modulation: window.modulation });
      if (!isHeard(signal, window.modulation)) continue;
      if (waitMs > 0) this.#later(waitMs, () => void this.#hand(device, phyPayload, signal.snr));
      else this.#hand(device, phyPayload, signal.snr);
    }
    if (!isHeardByAny) this.#missed += 1;
  }

  /** Delivers a signal without inversion to other gateways, such as a ping. */
  #deliverToGateways(sender: Antenna, txpk: Txpk, phyPayload: Uint8Array): void {
    const [, spreadingFactor = 7, bandwidth = 125] = /^SF(\d+)BW(\d+)$/.exec(String(txpk.datr))?.map(Number) ?? [];
    const modulation = { modulation: 'LORA', spreadingFactor, bandwidth } as const;
    const frequency = Math.round(txpk.freq * 1e6);
    const sent = { phyPayload, frequency, modulation, channel: 0, dataRate: 0, power: txpk.powe, windows: [] };
    for (const gateway of this.#gateways) {
      if (gateway === sender) continue;
      const km = sender.position && gateway.position ? distanceKm(sender.position, gateway.position) : 0.1;
      const signal = signalAt(sent, km, { lossDb: 0, random: this.#random });
      if (isHeard(signal, modulation)) gateway.receiveFrame(sent, signal);
    }
  }

  /** Opens the windows of a transmission at one gateway, by its clock; the returned function closes them. */
  #listen(
    device: Device,
    { windows }: Transmission,
    at: { gateway: Antenna; tmst: number; receiveFrame: Listening['receiveFrame'] },
  ) {
    const opened = windows.map((window) => {
      const key = windowKey(at.gateway, (at.tmst + window.delayMs * 1000) % 2 ** 32);
      const entry = { device, window, receiveFrame: at.receiveFrame };
      const open = this.#listening.get(key) ?? new Set();
      this.#listening.set(key, open.add(entry));
      return () => {
        if (open.delete(entry) && open.size === 0) this.#listening.delete(key);
      };
    });
    return () => {
      for (const close of opened) close();
    };
  }

  #later(ms: number, work: () => void): void {
    const cancel = this.#clock.after(ms, () => {
      this.#timers.delete(cancel);
      work();
    });
    this.#timers.add(cancel);
  }
}

function windowKey(gateway: Antenna, tmst: number): string {
  return `${gateway.gatewayID}/${tmst}`;
}

/** Whether frequency, modulation and the polarization for devices match. */
function fits(txpk: Txpk, window: Pick<ReceiveWindow, 'frequency' | 'modulation'>): boolean {
  const { modu, datr } = modulationFields(window.modulation);
  const isTurned = txpk.ipol || modu !== 'LORA';
  return Math.round(txpk.freq * 1e6) === window.frequency && txpk.modu === modu && txpk.datr === datr && isTurned;
}

/** Resolves with true at the first true, with false when all are false. */
async function anyTrue(answers: readonly Promise<boolean>[]): Promise<boolean> {
  const yes = answers.map(async (answer) => ((await answer) ? true : Promise.reject(new Error('not acknowledged'))));
  return Promise.any(yes).catch(() => false);
}
