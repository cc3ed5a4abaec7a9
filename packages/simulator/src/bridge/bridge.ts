/**
 * A gateway with ChirpStack Gateway Bridge: publishes its uplinks, sends downlinks and reports their result. Its broker
 * publishes the will when the connection ends.
 */
import {
  type BridgeFormat,
  bridgeGateway,
  bridgeTopic,
  readBridgeTopic,
  txAckStatusOf,
  txpkOf,
  uplinksOf,
  usualFormat,
} from '@hilltop/gateway-protocols';
import { gpsTimeOf } from '@hilltop/lorawan';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import { type Clock, systemClock } from '../clock.ts';
import type { Transmission } from '../device/transmission.ts';
import { type Downlink, type Gateway, lateness, type Push } from '../gateway.ts';
import { createInbox, type Inbox } from '../inbox.ts';
import type { Position, Signal } from '../radio.ts';
import { rxpkOf } from '../rxpk.ts';

export interface BridgeOptions {
  /** `mqtt://host:port` or `mqtts://host:port`. */
  server: string;
  gatewayID: string;
  /** The default is version 3 in protobuf. */
  format?: BridgeFormat;
  /** The text before `gateway/…`; version 4 uses it for the region. */
  prefix?: string;
  /** Password, certificate and trusted authorities, in the form of mqtt.js. */
  connection?: Pick<IClientOptions, 'username' | 'password' | 'ca' | 'cert' | 'key'>;
  qos?: 0 | 1;
  position?: Position;
  /** The metadata in its reports. */
  metaData?: Readonly<Record<string, string>>;
  /** Time between statistics; 0 sends none automatically. */
  statIntervalMs?: number;
  clock?: Clock;
}

export interface BridgeCounts {
  uplinks: number;
  acknowledged: number;
  downlinks: number;
  emitted: number;
}

/** A gateway of a simulated network. */
export interface Bridge
  extends Pick<
      Gateway,
      | 'gatewayID'
      | 'position'
      | 'receiveFrame'
      | 'onDownlink'
      | 'nextDownlink'
      | 'concentratorTime'
      | 'sendStat'
      | 'stop'
    >,
    AsyncDisposable {
  readonly counts: Readonly<BridgeCounts>;
  /** Resolves when it has subscribed to its commands; rejects when the broker refuses it. */
  online(): Promise<void>;
  /** The version of the last configuration; '' before the first. */
  configVersion(): string;
  /** Any payload on any topic, for tests of bad input. */
  sendRaw(topic: string, payload: Uint8Array): Promise<void>;
}

const wrap = 2 ** 32;

export function startBridge(options: BridgeOptions): Bridge {
  return new SimulatedBridge(options);
}

class SimulatedBridge implements Bridge {
  readonly gatewayID: string;
  readonly position: Position | null;
  readonly counts: BridgeCounts = { uplinks: 0, acknowledged: 0, downlinks: 0, emitted: 0 };
  readonly #id: Uint8Array;
  readonly #format: BridgeFormat;
  readonly #prefix: string;
  readonly #qos: 0 | 1;
  readonly #metaData: Readonly<Record<string, string>>;
  readonly #clock: Clock;
  readonly #client: MqttClient;
  readonly #listeners = new Set<(downlink: Downlink) => void>();
  readonly #inbox: Inbox<Downlink>;
  readonly #firstTime = Promise.withResolvers<void>();
  #reported = { ...this.counts };
  #configVersion = '';
  #isStopped = false;
  #cancelStats = () => {};

  constructor(options: BridgeOptions) {
    const { gatewayID, format = usualFormat, prefix = '', position = null, qos = 1, statIntervalMs = 30_000 } = options;
    this.gatewayID = gatewayID;
    this.position = position;
    this.#id = Uint8Array.fromHex(gatewayID);
    this.#format = format;
    this.#prefix = prefix;
    this.#qos = qos;
    this.#metaData = options.metaData ?? {};
    this.#clock = options.clock ?? systemClock;
    this.#inbox = createInbox(this.#clock, `gateway ${gatewayID} got no downlink`);
    this.#firstTime.promise.catch(() => undefined);
    this.#client = this.#connect(options);
    this.#sendStatEvery(statIntervalMs);
  }

  concentratorTime(): number {
    return Math.floor(this.#clock.monotonicMs() * 1000) % wrap;
  }

  sendStat(): Promise<boolean> {
    const since = this.#reported;
    this.#reported = { ...this.counts };
    const received = this.counts.uplinks - since.uplinks;
    const { latitude = 0, longitude = 0, altitude = 0 } = this.position ?? {};
    return this.#publish(
      'stats',
      bridgeGateway.stats(this.#format, {
        gatewayID: this.#id,
        time: this.#clock.now(),
        location: { latitude, longitude, altitude, source: 'GPS' },
        configVersion: this.#configVersion,
        rxPacketsReceived: received,
        rxPacketsReceivedOK: received,
        txPacketsReceived: this.counts.downlinks - since.downlinks,
        txPacketsEmitted: this.counts.emitted - since.emitted,
        metaData: { ...this.#metaData },
      }),
    );
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#cancelStats();
    this.#inbox.close();
    await this.#client.endAsync(true);
  }

  online(): Promise<void> {
    return this.#firstTime.promise;
  }

  configVersion(): string {
    return this.#configVersion;
  }

  receiveFrame(transmission: Transmission, signal: Signal = { rssi: -60, snr: 9 }): Push {
    const tmst = this.concentratorTime();
    const rxpk = [rxpkOf(transmission, signal, { tmst, time: this.#clock.now() })];
    const { frames } = uplinksOf({
      type: 'PUSH_DATA',
      version: 2,
      token: 0,
      gatewayID: this.gatewayID,
      rxpk,
      stat: undefined,
    });
    this.counts.uplinks += 1;
    const acknowledged = this.#publish('up', bridgeGateway.uplink(this.#format, frames[0]!)).then((isTaken) => {
      if (isTaken) this.counts.acknowledged += 1;
      return isTaken;
    });
    return { token: 0, tmst, acknowledged };
  }

  onDownlink(listener: (downlink: Downlink) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  nextDownlink(timeoutMs = 5000): Promise<Downlink> {
    return this.#inbox.take(timeoutMs);
  }

  async sendRaw(topic: string, payload: Uint8Array): Promise<void> {
    await this.#client.publishAsync(topic, Buffer.from(payload), { qos: this.#qos });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #connect({ server, connection }: BridgeOptions): MqttClient {
    const qos = this.#qos;
    const client = connect(server, {
      ...connection,
      clientId: `bridge-${this.gatewayID}`,
      protocolVersion: 4,
      reconnectPeriod: 1000,
      will: { topic: this.#topic('state', 'conn'), payload: this.#state('OFFLINE'), qos, retain: true },
    });
    client.on('error', (error) => this.#firstTime.reject(error));
    client.on('connect', () => {
      client.subscribe(this.#topic('command', '#'), { qos }, (error) => {
        if (error) return this.#firstTime.reject(error);
        client.publish(this.#topic('state', 'conn'), this.#state('ONLINE'), { qos, retain: true }, () =>
          this.#firstTime.resolve(),
        );
      });
    });
    client.on('message', (text, payload) => {
      const { name } = readBridgeTopic(text) ?? {};
      if (name === 'down') this.#transmit(payload);
      else if (name === 'config')
        this.#configVersion = bridgeGateway.readConfiguration(this.gatewayID, payload).version;
    });
    return client;
  }

  #topic(part: 'event' | 'state' | 'command', name: string): string {
    return bridgeTopic({ prefix: this.#prefix, gatewayID: this.gatewayID, part, name });
  }

  #state(to: 'ONLINE' | 'OFFLINE'): Buffer {
    return Buffer.from(bridgeGateway.connState(this.#format, { gatewayID: this.#id, state: to }));
  }

  async #publish(name: string, payload: Uint8Array): Promise<boolean> {
    if (this.#isStopped) return false;
    return this.#client.publishAsync(this.#topic('event', name), Buffer.from(payload), { qos: this.#qos }).then(
      () => true,
      () => false,
    );
  }

  /** Sends the first item that is on time and ignores the others. */
  #transmit(payload: Uint8Array): void {
    const { downlinkID, token, items } = bridgeGateway.readDownlink(this.gatewayID, payload);
    this.counts.downlinks += 1;
    const tried: Omit<Downlink, 'token'>[] = [];
    for (const item of items) {
      const txpk = txpkOf(item);
      const refusal = lateness(txpk, this.concentratorTime(), gpsTimeOf(this.#clock.now()));
      tried.push({ txpk, phyPayload: item.phyPayload, refusal });
      if (refusal === '') break;
    }
    const statuses = items.map((_, at) => (tried[at] ? txAckStatusOf({ error: tried[at].refusal }) : 'IGNORED'));
    const ack = { gatewayID: this.#id, downlinkID, token, items: statuses.map((status) => ({ status })) };
    void this.#publish('ack', bridgeGateway.txAck(this.#format, ack));
    const last = tried.at(-1);
    if (!last) return;
    const downlink = { token, ...last };
    if (downlink.refusal === '') {
      this.counts.emitted += 1;
      for (const listener of this.#listeners) listener(downlink);
    }
    this.#inbox.put(downlink);
  }

  #sendStatEvery(intervalMs: number): void {
    if (intervalMs <= 0) return;
    this.#cancelStats = this.#clock.after(intervalMs, () => {
      void this.sendStat();
      this.#sendStatEvery(intervalMs);
    });
  }
}
