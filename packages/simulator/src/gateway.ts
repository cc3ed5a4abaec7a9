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
import { createInbox } from './inbox.ts';
import type { Position, Signal } from './radio.ts';
import type { Random } from './random.ts';
import { below } from './random.ts';
import { rxpkOf } from './rxpk.ts';
import { createUnanswered } from './unanswered.ts';

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
  hear(transmission: Transmission, signal?: Signal): Push;
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
  const { gatewayID, version = 2, position = null, keepaliveMs = 10_000, statIntervalMs = 30_000 } = options;
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const [up, down] = await Promise.all([connect(options.server), connect(options.server)]);
  const start = below(random, wrap);
  const counts: GatewayCounts = {
    pushed: 0,
    acknowledged: 0,
    uplinks: 0,
    downlinks: 0,
    emitted: 0,
    pulls: 0,
    pullsAcknowledged: 0,
    broken: 0,
  };
  const unanswered = createUnanswered(clock);
  const listeners = new Set<(downlink: Downlink) => void>();
  const inbox = createInbox<Downlink>(clock, `gateway ${gatewayID} got no downlink`);
  const firstPullAck = Promise.withResolvers<void>();
  const cancels = new Set<() => void>();
  let reported = { ...counts };
  let lastToken = below(random, 0x10000);
  let stopped = false;

  function nextToken(): number {
    lastToken = (lastToken + 1) & 0xffff;
    return lastToken;
  }

  function send(socket: Socket, packet: Packet): void {
    if (!stopped) socket.send(encodePacket(packet));
  }

  function every(intervalMs: number, work: () => void): void {
    if (intervalMs <= 0) return;
    const again = () => {
      cancels.delete(cancel);
      if (stopped) return;
      work();
      every(intervalMs, work);
    };
    const cancel = clock.after(intervalMs, again);
    cancels.add(cancel);
  }

  function push(rxpk: readonly Rxpk[], stat?: object): Omit<Push, 'tmst'> {
    const token = nextToken();
    const acknowledged = stopped ? Promise.resolve(false) : unanswered.wait(token);
    counts.pushed += 1;
    counts.uplinks += rxpk.length;
    send(up, { type: 'PUSH_DATA', version, token, gatewayID, rxpk, stat });
    return { token, acknowledged };
  }

  function concentratorTime(): number {
    return (start + Math.floor(clock.monotonicMs() * 1000)) % wrap;
  }

  function pull(): void {
    counts.pulls += 1;
    send(down, { type: 'PULL_DATA', version, token: nextToken(), gatewayID });
  }

  function receiveDownlink(token: number, txpk: Txpk): void {
    counts.downlinks += 1;
    const refusal = options.txAck
      ? options.txAck(txpk, counts.downlinks)
      : lateness(txpk, concentratorTime(), gpsTimeOf(clock.now()));
    if (version === 2 && refusal !== null) {
      send(down, { type: 'TX_ACK', version, token, gatewayID, error: refusal, warn: '' });
    }
    const downlink = { token, txpk, phyPayload: Uint8Array.fromBase64(txpk.data), refusal: refusal ?? '' };
    if (downlink.refusal === '') {
      counts.emitted += 1;
      for (const listener of listeners) listener(downlink);
    }
    inbox.put(downlink);
  }

  function receive(packet: Packet): void {
    if (packet.type === 'PUSH_ACK') {
      if (unanswered.acknowledge(packet.token)) counts.acknowledged += 1;
    } else if (packet.type === 'PULL_ACK') {
      counts.pullsAcknowledged += 1;
      firstPullAck.resolve();
    } else if (packet.type === 'PULL_RESP') {
      receiveDownlink(packet.token, readTxpk(packet));
    }
  }

  for (const socket of [up, down]) {
    socket.on('message', (bytes) => {
      try {
        receive(decodePacket(bytes));
      } catch (error) {
        if (!(error instanceof PacketError)) throw error;
        counts.broken += 1;
      }
    });
  }

  function sendStat(): Promise<boolean> {
    const since = reported;
    reported = { ...counts };
    const pushed = counts.pushed - since.pushed;
    return push([], {
      time: formatStatTime(clock.now()),
      ...(position && { lati: position.latitude, long: position.longitude, alti: Math.round(position.altitude ?? 0) }),
      rxnb: counts.uplinks - since.uplinks,
      rxok: counts.uplinks - since.uplinks,
      rxfw: counts.uplinks - since.uplinks,
      ackr: pushed === 0 ? 0 : Math.round(((counts.acknowledged - since.acknowledged) / pushed) * 1000) / 10,
      dwnb: counts.downlinks - since.downlinks,
      txnb: counts.emitted - since.emitted,
    }).acknowledged;
  }

  async function stop(): Promise<void> {
    if (stopped) return;
    stopped = true;
    for (const cancel of cancels) cancel();
    unanswered.close();
    inbox.close();
    await Promise.all([up, down].map((socket) => new Promise<void>((closed) => socket.close(closed))));
  }

  every(1000, () => unanswered.sweep());
  every(keepaliveMs, pull);
  every(statIntervalMs, () => void sendStat());
  pull();

  return {
    gatewayID,
    position,
    counts,
    hear(transmission, signal = { rssi: -60, snr: 9 }) {
      const tmst = concentratorTime();
      return { tmst, ...push([rxpkOf(transmission, signal, { tmst, time: clock.now() })]) };
    },
    push,
    sendStat,
    pull,
    online: () => firstPullAck.promise,
    nextDownlink: (timeoutMs = 5000) => inbox.take(timeoutMs),
    onDownlink(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    sendRaw: (bytes) => up.send(bytes),
    concentratorTime,
    stop,
    [Symbol.asyncDispose]: stop,
  };
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
