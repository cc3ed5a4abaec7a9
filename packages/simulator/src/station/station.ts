/**
 * A LoRa Basics Station: queries its address, opens a data connection, listens on its configured channels, sends
 * downlinks and confirms them. When its connection ends, it starts again.
 */
import { formatExact, parseExact } from '@hilltop/gateway-protocols';
import { WebSocket } from 'ws';
import { type Clock, systemClock } from '../clock.ts';
import type { Transmission } from '../device/transmission.ts';
import type { Downlink, Gateway, Push } from '../gateway.ts';
import { createInbox, type Inbox } from '../inbox.ts';
import type { Position, Signal } from '../radio.ts';
import { type DownlinkMessage, txpkOfMessage, windowOf } from './downlink-message.ts';
import { stationMessage } from './station-frame.ts';
import { createStationRadio, type RouterConfig, type StationRadio } from './station-radio.ts';

export interface StationOptions {
  /** `ws://host:port` or `wss://host:port`. */
  server: string;
  gatewayID: string;
  position?: Position;
  /** PEM texts: trusted authorities, and the client certificate with its key. */
  tls?: { ca?: string; cert?: string; key?: string };
  /** An API key, sent as `Authorization`. */
  token?: string;
  /** Whether it has GPS time, and sends it with each uplink. */
  hasGPS?: boolean;
  /** The time before it connects again. */
  reconnectMs?: number;
  clock?: Clock;
}

export interface StationCounts {
  /** Data connections that were opened, and attempts that ended without one. */
  connected: number;
  refused: number;
  uplinks: number;
  /** Transmissions that were on none of its channels. */
  notReceived: number;
  downlinks: number;
}

/** A gateway of a simulated network. */
export interface Station
  extends Pick<
      Gateway,
      'gatewayID' | 'position' | 'receiveFrame' | 'onDownlink' | 'nextDownlink' | 'concentratorTime' | 'stop'
    >,
    AsyncDisposable {
  readonly counts: Readonly<StationCounts>;
  /** The last configuration; null before the first. */
  config(): RouterConfig | null;
  /** Resolves when it has received its configuration. */
  online(): Promise<void>;
  /** The server's GPS time in microseconds. */
  syncTime(): Promise<bigint>;
  /** The last error with which the server refused it; '' if there was none. */
  refusal(): string;
  /** Sends any text to the server, for tests of invalid input. */
  sendRaw(text: string): void;
}

/** The session in the upper bits of xtime, so that the number exceeds the precision of a double. */
const session = 0x5an << 48n;
const wrap = 2 ** 32;

/** Resolves when the socket is closed, also after an error: `once` of node:events rejects on the error. */
const closeOf = (socket: WebSocket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

export function startStation(options: StationOptions): Station {
  return new SimulatedStation(options);
}

class SimulatedStation implements Station {
  readonly gatewayID: string;
  readonly position: Position | null;
  readonly counts: StationCounts = { connected: 0, refused: 0, uplinks: 0, notReceived: 0, downlinks: 0 };
  readonly #options: StationOptions;
  readonly #clock: Clock;
  readonly #listeners = new Set<(downlink: Downlink) => void>();
  readonly #inbox: Inbox<Downlink>;
  readonly #times: Inbox<bigint>;
  #socket: WebSocket | null = null;
  #config: RouterConfig | null = null;
  #radio: StationRadio | null = null;
  #configured = Promise.withResolvers<void>();
  #refusal = '';
  #isStopped = false;
  #cancelReconnect = () => {};

  constructor(options: StationOptions) {
    this.gatewayID = options.gatewayID;
    this.position = options.position ?? null;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#inbox = createInbox(this.#clock, `station ${options.gatewayID} got no downlink`);
    this.#times = createInbox(this.#clock, `station ${options.gatewayID} was not told the time`);
    void this.#connect();
  }

  concentratorTime(): number {
    return Number((session + this.#microseconds()) % BigInt(wrap));
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#cancelReconnect();
    this.#inbox.close();
    this.#times.close();
    const open = this.#socket;
    if (!open || open.readyState === WebSocket.CLOSED) return;
    const closed = closeOf(open);
    open.terminate();
    await closed;
  }

  config(): RouterConfig | null {
    return this.#config;
  }

  online(): Promise<void> {
    return this.#configured.promise;
  }

  refusal(): string {
    return this.#refusal;
  }

  receiveFrame(transmission: Transmission, signal: Signal = { rssi: -60, snr: 9 }): Push {
    const xtime = session + this.#microseconds();
    const received = { token: 0, tmst: Number(xtime % BigInt(wrap)) };
    const dr = this.#radio?.receiveFrame(transmission) ?? null;
    if (dr === null) {
      this.counts.notReceived += 1;
      return { ...received, acknowledged: Promise.resolve(false) };
    }
    const gpstime = this.#options.hasGPS ? this.#gpsTime() : 0n;
    const { frequency, phyPayload } = transmission;
    const isSent = this.#sayText(
      stationMessage(phyPayload, { ...signal, dr, frequency, xtime, gpstime, time: this.#clock.now() }),
    );
    if (isSent) this.counts.uplinks += 1;
    // The protocol has no acknowledgement: uplinks that the socket accepted count as acknowledged.
    return { ...received, acknowledged: Promise.resolve(isSent) };
  }

  onDownlink(listener: (downlink: Downlink) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  nextDownlink(timeoutMs = 5000): Promise<Downlink> {
    return this.#inbox.take(timeoutMs);
  }

  syncTime(): Promise<bigint> {
    this.#say({ msgtype: 'timesync', txtime: String(this.#microseconds()) });
    return this.#times.take(5000);
  }

  sendRaw(text: string): void {
    this.#socket?.send(text);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #microseconds(): bigint {
    return BigInt(Math.floor(this.#clock.monotonicMs() * 1000));
  }

  #gpsTime(): bigint {
    return BigInt(this.#clock.now().getTime() - Date.UTC(1980, 0, 6) + 18_000) * 1000n;
  }

  #open(url: string): WebSocket {
    const { token, tls } = this.#options;
    const headers = token === undefined ? {} : { authorization: token };
    const opened = new WebSocket(url, { headers, perMessageDeflate: false, ...tls });
    opened.on('unexpected-response', (_request, response) => {
      this.#refusal = `HTTP ${response.statusCode}`;
      opened.terminate();
    });
    // The missing connection reveals the failure.
    opened.on('error', () => undefined);
    return opened;
  }

  async #askWay(): Promise<string | null> {
    const asking = this.#open(`${this.#options.server}/router-info`);
    asking.on('open', () => asking.send(JSON.stringify({ router: (this.gatewayID.match(/../g) ?? []).join('-') })));
    let answer: { uri?: string; error?: string } = {};
    asking.on('message', (data) => {
      answer = JSON.parse((data as Buffer).toString()) as typeof answer;
    });
    await closeOf(asking);
    if (answer.error !== undefined) this.#refusal = answer.error;
    return answer.uri ?? null;
  }

  async #connect(): Promise<void> {
    const uri = await this.#askWay();
    if (this.#isStopped) return;
    if (uri === null) return this.#again();
    const opened = this.#open(uri);
    this.#socket = opened;
    let isOpen = false;
    opened.on('open', () => {
      isOpen = true;
      this.counts.connected += 1;
      this.#say({ msgtype: 'version', station: '2.0.6(simulated)', protocol: 2, model: 'simulator', features: 'gps' });
    });
    opened.on('message', (data) => this.#receive((data as Buffer).toString()));
    opened.on('close', () => {
      if (this.#radio) this.#configured = Promise.withResolvers<void>();
      this.#radio = null;
      this.#again(isOpen);
    });
  }

  #again(wasConnected = false): void {
    if (!wasConnected) this.counts.refused += 1;
    if (this.#isStopped) return;
    this.#cancelReconnect = this.#clock.after(this.#options.reconnectMs ?? 1_000, () => void this.#connect());
  }

  #say(message: object): void {
    this.#sayText(formatExact(message));
  }

  #sayText(text: string): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(text);
    return true;
  }

  #receive(text: string): void {
    const message = parseExact(text) as { msgtype: string };
    if (message.msgtype === 'router_config') {
      this.#config = message as unknown as RouterConfig;
      this.#radio = createStationRadio(this.#config);
      this.#configured.resolve();
    } else if (message.msgtype === 'dnmsg') {
      this.#transmit(message as unknown as DownlinkMessage);
    } else if (message.msgtype === 'timesync') {
      this.#times.put(BigInt((message as unknown as { gpstime: string }).gpstime));
    }
  }

  /** Sends in the first possible window and reports the transmission to the server. */
  #transmit(message: DownlinkMessage): void {
    this.counts.downlinks += 1;
    const [dr, frequency] = windowOf(message);
    const modulation = this.#radio?.modulationOf(dr);
    if (!modulation || frequency === 0) return;
    const phyPayload = Uint8Array.fromHex(message.pdu);
    const txpk = txpkOfMessage(message, phyPayload, { frequency, modulation });
    const downlink = { token: message.diid, txpk, phyPayload, refusal: '' };
    this.#say({
      msgtype: 'dntxed',
      diid: message.diid,
      DR: dr,
      Freq: frequency,
      txtime: 0,
      rctx: '0',
      xtime: '0',
      gpstime: '0',
    });
    for (const listener of this.#listeners) listener(downlink);
    this.#inbox.put(downlink);
  }
}
