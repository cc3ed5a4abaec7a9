/**
 * The packet forwarder of a gateway: Semtech UDP over real sockets, one for uplinks and one for downlinks. It knows
 * which of its datagrams were acknowledged and answers every downlink with a TX_ACK.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Packet, Rxpk, Txpk, Version } from '@hilltop/gateway-protocols';
import { decodePacket, encodePacket, formatStatTime, PacketError, readTxpk } from '@hilltop/gateway-protocols';
import { gpsTimeOf } from '@hilltop/lorawan';
import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';
import type { Transmission } from './device/transmission.ts';
import { createInbox, type Inbox } from './inbox.ts';
import type { Position, Signal } from './radio.ts';
import type { Random } from './random.ts';
import { below } from './random.ts';
import { rxpkOf } from './rxpk.ts';
import { createUnanswered, type Unanswered } from './unanswered.ts';

/** A downlink of the server. `refusal` is the error in the TX_ACK, '' when it was sent. */
export interface Downlink {
  token: number;
  txpk: Txpk;
  phyPayload: Uint8Array;
  refusal: string;
}

export interface GatewayOptions {
  /** `host:port`, IPv4. */
  server: string;
  gatewayID: string;
  version?: Version;
  position?: Position;
  /** Time between PULL_DATA and between statistics; 0 sends none automatically. */
  keepaliveMs?: number;
  statIntervalMs?: number;
  /**
   * The error in the TX_ACK of a downlink: '' sent, an error of a forwarder such as `TOO_LATE`, null no TX_ACK at all.
   */
  txAck?: (txpk: Txpk, nth: number) => string | null;
  clock?: Clock;
  random?: Random;
}

export interface GatewayCounts {
  /** Sent PUSH_DATA, and how many of them the server acknowledged. */
  pushed: number;
  acknowledged: number;
  uplinks: number;
  downlinks: number;
  emitted: number;
  pulls: number;
  pullsAcknowledged: number;
  /** Datagrams from the server that are not Semtech UDP. */
  broken: number;
}

export interface Push {
  token: number;
  /** Concentrator time of the uplink (microseconds); windows count from it. */
  tmst: number;
  /** true with the PUSH_ACK, false when none came within five seconds or the gateway stopped. */
  acknowledged: Promise<boolean>;
}

export interface Gateway extends AsyncDisposable {
  readonly gatewayID: string;
  readonly position: Position | null;
  readonly counts: Readonly<GatewayCounts>;
  /** Receives a transmission and forwards it. */
  receiveFrame(transmission: Transmission, signal?: Signal): Push;
  /** Sends a PUSH_DATA with any content. */
  push(rxpk: readonly Rxpk[], stat?: object): Omit<Push, 'tmst'>;
  /** Reports the counters since the last report. */
  sendStat(): Promise<boolean>;
  pull(): void;
  /** Resolves with the first PULL_ACK: then downlinks can arrive. */
  online(): Promise<void>;
  /** The next unread downlink. Rejects after `timeoutMs`. */
  nextDownlink(timeoutMs?: number): Promise<Downlink>;
  /** Calls back for each downlink that is sent; the returned function unsubscribes. */
  onDownlink(listener: (downlink: Downlink) => void): () => void;
  /** Sends raw bytes to the server, for tests of invalid input. */
  sendRaw(bytes: Uint8Array): void;
  /** Microseconds of the concentrator, 32 bits. */
  concentratorTime(): number;
  stop(): Promise<void>;
}

const wrap = 2 ** 32;

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const [up, down] = await Promise.all([connect(options.server), connect(options.server)]);
  return new PacketForwarder(options, up, down);
}

class PacketForwarder implements Gateway {
  readonly gatewayID: string;
  readonly position: Position | null;
  readonly counts: GatewayCounts = {
    pushed: 0,
    acknowledged: 0,
    uplinks: 0,
    downlinks: 0,
    emitted: 0,
    pulls: 0,
    pullsAcknowledged: 0,
    broken: 0,
  };
  readonly #version: Version;
  readonly #txAck: GatewayOptions['txAck'];
  readonly #clock: Clock;
  readonly #up: Socket;
  readonly #down: Socket;
  /** Concentrator time at 0 of the clock. */
  readonly #start: number;
  readonly #unanswered: Unanswered;
  readonly #listeners = new Set<(downlink: Downlink) => void>();
  readonly #inbox: Inbox<Downlink>;
  readonly #firstPullAck = Promise.withResolvers<void>();
  readonly #cancels = new Set<() => void>();
  #reported = { ...this.counts };
  #lastToken: number;
  #stopped = false;

  constructor(options: GatewayOptions, up: Socket, down: Socket) {
    const { gatewayID, version = 2, position = null, keepaliveMs = 10_000, statIntervalMs = 30_000 } = options;
    const random = options.random ?? Math.random;
    this.gatewayID = gatewayID;
    this.position = position;
    this.#version = version;
    this.#txAck = options.txAck;
    this.#clock = options.clock ?? systemClock;
    this.#up = up;
    this.#down = down;
    this.#start = below(random, wrap);
    this.#lastToken = below(random, 0x10000);
    this.#unanswered = createUnanswered(this.#clock);
    this.#inbox = createInbox(this.#clock, `gateway ${gatewayID} got no downlink`);
    for (const socket of [up, down]) {
      socket.on('message', (bytes) => {
        try {
          this.#receive(decodePacket(bytes));
        } catch (error) {
          if (!(error instanceof PacketError)) throw error;
          this.counts.broken += 1;
        }
      });
    }
    this.#every(1000, () => this.#unanswered.sweep());
    this.#every(keepaliveMs, () => this.pull());
    this.#every(statIntervalMs, () => void this.sendStat());
    this.pull();
  }

  push(rxpk: readonly Rxpk[], stat?: object): Omit<Push, 'tmst'> {
    const token = this.#nextToken();
    const acknowledged = this.#stopped ? Promise.resolve(false) : this.#unanswered.wait(token);
    this.counts.pushed += 1;
    this.counts.uplinks += rxpk.length;
    this.#send(this.#up, { type: 'PUSH_DATA', version: this.#version, token, gatewayID: this.gatewayID, rxpk, stat });
    return { token, acknowledged };
  }

  concentratorTime(): number {
    return (this.#start + Math.floor(this.#clock.monotonicMs() * 1000)) % wrap;
  }

  pull(): void {
    this.counts.pulls += 1;
    const { gatewayID } = this;
    this.#send(this.#down, { type: 'PULL_DATA', version: this.#version, token: this.#nextToken(), gatewayID });
  }

  sendStat(): Promise<boolean> {
    const since = this.#reported;
    this.#reported = { ...this.counts };
    const { counts, position } = this;
    const pushed = counts.pushed - since.pushed;
    return this.push([], {
      time: formatStatTime(this.#clock.now()),
      ...(position && { lati: position.latitude, long: position.longitude, alti: Math.round(position.altitude ?? 0) }),
      rxnb: counts.uplinks - since.uplinks,
      rxok: counts.uplinks - since.uplinks,
      rxfw: counts.uplinks - since.uplinks,
      ackr: pushed === 0 ? 0 : Math.round(((counts.acknowledged - since.acknowledged) / pushed) * 1000) / 10,
      dwnb: counts.downlinks - since.downlinks,
      txnb: counts.emitted - since.emitted,
    }).acknowledged;
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    for (const cancel of this.#cancels) cancel();
    this.#unanswered.close();
    this.#inbox.close();
    await Promise.all([this.#up, this.#down].map((socket) => new Promise<void>((closed) => socket.close(closed))));
  }

  receiveFrame(transmission: Transmission, signal: Signal = { rssi: -60, snr: 9 }): Push {
    const tmst = this.concentratorTime();
    return { tmst, ...this.push([rxpkOf(transmission, signal, { tmst, time: this.#clock.now() })]) };
  }

  online(): Promise<void> {
    return this.#firstPullAck.promise;
  }

  nextDownlink(timeoutMs = 5000): Promise<Downlink> {
    return this.#inbox.take(timeoutMs);
  }

  onDownlink(listener: (downlink: Downlink) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  sendRaw(bytes: Uint8Array): void {
    this.#up.send(bytes);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #nextToken(): number {
    this.#lastToken = (this.#lastToken + 1) & 0xffff;
    return this.#lastToken;
  }

  #send(socket: Socket, packet: Packet): void {
    if (!this.#stopped) socket.send(encodePacket(packet));
  }

  #every(intervalMs: number, work: () => void): void {
    if (intervalMs <= 0) return;
    const again = () => {
      this.#cancels.delete(cancel);
      if (this.#stopped) return;
      work();
      this.#every(intervalMs, work);
    };
    const cancel = this.#clock.after(intervalMs, again);
    this.#cancels.add(cancel);
  }

  #receiveDownlink(token: number, txpk: Txpk): void {
    this.counts.downlinks += 1;
    const refusal = this.#txAck
      ? this.#txAck(txpk, this.counts.downlinks)
      : lateness(txpk, this.concentratorTime(), gpsTimeOf(this.#clock.now()));
    if (this.#version === 2 && refusal !== null) {
      const { gatewayID } = this;
      this.#send(this.#down, { type: 'TX_ACK', version: 2, token, gatewayID, error: refusal, warn: '' });
    }
    const downlink = { token, txpk, phyPayload: Uint8Array.fromBase64(txpk.data), refusal: refusal ?? '' };
    if (downlink.refusal === '') {
      this.counts.emitted += 1;
      for (const listener of this.#listeners) listener(downlink);
    }
    this.#inbox.put(downlink);
  }

  #receive(packet: Packet): void {
    if (packet.type === 'PUSH_ACK') {
      if (this.#unanswered.acknowledge(packet.token)) this.counts.acknowledged += 1;
    } else if (packet.type === 'PULL_ACK') {
      this.counts.pullsAcknowledged += 1;
      this.#firstPullAck.resolve();
    } else if (packet.type === 'PULL_RESP') {
      this.#receiveDownlink(packet.token, readTxpk(packet));
    }
  }
}

/** The error for a downlink whose time has passed, or is beyond the range of the counter. */
export function lateness({ tmst, tmms }: Txpk, nowUs: number, nowGpsMs: number): string {
  if (tmst === undefined && tmms === undefined) return '';
  const aheadUs = tmst === undefined ? ((tmms ?? 0) - nowGpsMs) * 1000 : signed((tmst - nowUs + wrap) % wrap);
  if (aheadUs < 0) return 'TOO_LATE';
  return aheadUs > 30_000_000 ? 'TOO_EARLY' : '';
}

function signed(us: number): number {
  return us > wrap / 2 ? us - wrap : us;
}

async function connect(server: string): Promise<Socket> {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(server) ?? [];
  if (!host || !port) throw new RangeError(`"${server}" is no server address; write it as host:port.`);
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20, sendBufferSize: 1 << 20 });
  socket.connect(Number(port), host);
  await once(socket, 'connect');
  // A server that does not listen causes an ICMP error; the gateway ignores it.
  socket.on('error', () => {});
  return socket;
}
