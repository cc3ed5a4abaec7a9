import type { Clock, JoinReception, ReceivedJoinRequest } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.ts';
import { PeriodicRounds } from '../periodic-rounds.ts';
import type { ReceivedDevice, ReceivingNetwork, UnknownDeviceRows } from './unknown-device-rows.ts';

interface UnknownDevicesDependencies {
  rows: UnknownDeviceRows;
  clock: Pick<Clock, 'now'>;
  metrics: Pick<Metrics, 'count'>;
  log: Pick<Logger, 'error'>;
  /** `HILLTOP_LIST_UNREGISTERED`. */
  isEnabled: boolean;
  most?: number;
}

const everyMs = 10_000;
/** A reader sees what was received before, without a write for each read. */
const readableAfterMs = 1_000;
const minuteMs = 60_000;
const mostNewPerMinute = 100;
const mostGateways = 5;
const mostCountedGateways = 1_000;

/**
 * Remembers unknown devices, so that users can register them. Anybody can send join-requests, so their number is
 * limited: devices that were received once leave first, and one gateway adds at most 100 a minute. Nothing is written when
 * a join-request arrives; what was received is written every 10 s.
 */
export class UnknownDevices {
  readonly #needs: UnknownDevicesDependencies;
  readonly #most: number;
  readonly #rounds: PeriodicRounds;
  /** By DevEUI, in the order of their last join-requests; the oldest first. */
  readonly #receivedOnce = new Map<string, ReceivedDevice>();
  readonly #receivedOften = new Map<string, ReceivedDevice>();
  #unsaved = new Set<string>();
  #leftOut = new Map<string, number>();
  #minute = { endsAt: 0, newByGateway: new Map<string, number>() };
  #savedAt = 0;
  #saving: Promise<void> | undefined;

  constructor(needs: UnknownDevicesDependencies) {
    this.#needs = needs;
    this.#most = needs.most ?? 2_000;
    this.#rounds = new PeriodicRounds({
      everyMs,
      round: () => this.save(),
      failed: (error) => needs.log.error({ err: error }, 'unknown devices could not be stored'),
    });
  }

  get isEnabled(): boolean {
    return this.#needs.isEnabled;
  }

  start(): void {
    if (this.isEnabled) this.#rounds.start();
  }

  async stop(): Promise<void> {
    await this.#rounds.stop();
    if (this.isEnabled) await this.save().catch(() => undefined);
  }

  note({ devEUI, joinEUI, devNonce, receptions }: ReceivedJoinRequest, network: ReceivingNetwork): void {
    if (!this.isEnabled) return;
    const at = this.#needs.clock.now().getTime();
    const before = this.#receivedOnce.get(devEUI) ?? this.#receivedOften.get(devEUI);
    const gatewayID = receptions[0]?.gatewayID ?? '';
    if (!before && !(this.#mayAdd(gatewayID, at) && this.#hasRoom())) return this.#leaveOut(gatewayID);
    this.#receivedOnce.delete(devEUI);
    this.#receivedOften.delete(devEUI);
    const received: ReceivedDevice = {
      ...{ devEUI, joinEUI, devNonce, ...network },
      firstAt: before?.firstAt ?? at,
      lastAt: at,
      times: (before?.times ?? 0) + 1,
      gateways: bestOf(receptions, before?.gateways ?? []),
    };
    (before ? this.#receivedOften : this.#receivedOnce).set(devEUI, received);
    this.#unsaved.add(devEUI);
  }

  /** Stores what was received until now, unless that was done a moment ago. */
  async saveForReader(): Promise<void> {
    const now = this.#needs.clock.now().getTime();
    if (this.isEnabled && Math.abs(now - this.#savedAt) >= readableAfterMs) await this.save();
  }

  save(): Promise<void> {
    this.#saving ??= this.#save().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #save(): Promise<void> {
    const { rows, clock } = this.#needs;
    const at = clock.now().getTime();
    const received = [...this.#unsaved].flatMap((devEUI) => this.#get(devEUI) ?? []);
    const leftOut = this.#leftOut;
    this.#unsaved = new Set();
    this.#leftOut = new Map();
    try {
      await rows.add({ received, leftOut, at });
    } catch (error) {
      for (const { devEUI } of received) this.#unsaved.add(devEUI);
      for (const [gatewayID, times] of leftOut) this.#countLeftOut(gatewayID, times);
      throw error;
    }
    this.#savedAt = at;
    for (const { devEUI, times } of received) {
      const now = this.#get(devEUI);
      if (now) now.times -= times;
    }
  }

  #get(devEUI: string): ReceivedDevice | undefined {
    return this.#receivedOnce.get(devEUI) ?? this.#receivedOften.get(devEUI);
  }

  #mayAdd(gatewayID: string, at: number): boolean {
    if (at >= this.#minute.endsAt || at < this.#minute.endsAt - minuteMs)
      this.#minute = { endsAt: at + minuteMs, newByGateway: new Map() };
    const { newByGateway } = this.#minute;
    const added = newByGateway.get(gatewayID) ?? 0;
    if (added >= mostNewPerMinute || newByGateway.size >= mostCountedGateways) return false;
    newByGateway.set(gatewayID, added + 1);
    return true;
  }

  /** A full memory forgets the device that was received once, and longest ago; it is stored by then. */
  #hasRoom(): boolean {
    if (this.#receivedOnce.size + this.#receivedOften.size < this.#most) return true;
    const [oldest] = this.#receivedOnce.size > 0 ? this.#receivedOnce.keys() : this.#receivedOften.keys();
    if (oldest === undefined) return false;
    this.#unsaved.delete(oldest);
    return this.#receivedOnce.delete(oldest) || this.#receivedOften.delete(oldest);
  }

  #leaveOut(gatewayID: string): void {
    this.#needs.metrics.count('unknown_device_requests_left_out');
    this.#countLeftOut(gatewayID, 1);
  }

  #countLeftOut(gatewayID: string, times: number): void {
    if (this.#leftOut.size < mostCountedGateways || this.#leftOut.has(gatewayID))
      this.#leftOut.set(gatewayID, (this.#leftOut.get(gatewayID) ?? 0) + times);
  }
}

/** One entry for each gateway: of a gateway that received the device again, the new one. */
function bestOf(now: readonly JoinReception[], before: readonly JoinReception[]): JoinReception[] {
  const others = before.filter(({ gatewayID }) => !now.some((one) => one.gatewayID === gatewayID));
  return [...now, ...others].sort((one, other) => other.rssi - one.rssi).slice(0, mostGateways);
}
