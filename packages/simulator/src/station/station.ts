/**
 * A LoRa Basics Station: queries its address, opens a data connection, listens on its configured channels, sends
 * downlinks and confirms them. When its connection ends, it starts again.
 */
import { once } from 'node:events';
import { formatExact, parseExact, type Txpk } from '@hilltop/gateway-protocols';
import { WebSocket } from 'ws';
import { type Clock, systemClock } from '../clock.ts';
import type { Downlink, Gateway } from '../gateway.ts';
import { createInbox } from '../inbox.ts';
import type { Position } from '../radio.ts';
import { modulationFields } from '../rxpk.ts';
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
  unheard: number;
  downlinks: number;
}

/** A gateway of a simulated network. */
export interface Station
  extends Pick<
      Gateway,
      'gatewayID' | 'position' | 'hear' | 'onDownlink' | 'nextDownlink' | 'concentratorTime' | 'stop'
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

interface Dnmsg {
  readonly diid: number;
  readonly dC: 0 | 1 | 2;
  readonly pdu: string;
  readonly RxDelay?: number;
  readonly xtime?: string;
  readonly gpstime?: string;
  readonly DR?: number;
  readonly Freq?: number;
  readonly RX1DR?: number;
  readonly RX1Freq?: number;
  readonly RX2DR?: number;
  readonly RX2Freq?: number;
}

/** The session in the upper bits of xtime, so that the number exceeds the precision of a double. */
const session = 0x5an << 48n;
const wrap = 2 ** 32;

export function startStation(options: StationOptions): Station {
  const { gatewayID, position = null, hasGPS = false, reconnectMs = 1_000, token } = options;
  const clock = options.clock ?? systemClock;
  const counts: StationCounts = { connected: 0, refused: 0, uplinks: 0, unheard: 0, downlinks: 0 };
  const listeners = new Set<(downlink: Downlink) => void>();
  const inbox = createInbox<Downlink>(clock, `station ${gatewayID} got no downlink`);
  const times = createInbox<bigint>(clock, `station ${gatewayID} was not told the time`);
  const headers = token === undefined ? {} : { authorization: token };
  let socket: WebSocket | null = null;
  let config: RouterConfig | null = null;
  let radio: StationRadio | null = null;
  let configured = Promise.withResolvers<void>();
  let refusal = '';
  let isStopped = false;
  let cancelReconnect = () => {};

  const microseconds = () => BigInt(Math.floor(clock.monotonicMs() * 1000));
  const concentratorTime = () => Number((session + microseconds()) % BigInt(wrap));
  const gpsTime = () => BigInt(clock.now().getTime() - Date.UTC(1980, 0, 6) + 18_000) * 1000n;

  function open(url: string): WebSocket {
    const opened = new WebSocket(url, { headers, perMessageDeflate: false, ...options.tls });
    opened.on('unexpected-response', (_request, response) => {
      refusal = `HTTP ${response.statusCode}`;
      opened.terminate();
    });
    // The missing connection reveals the failure.
    opened.on('error', () => undefined);
    return opened;
  }

  async function askWay(): Promise<string | null> {
    const asking = open(`${options.server}/router-info`);
    asking.on('open', () => asking.send(JSON.stringify({ router: (gatewayID.match(/../g) ?? []).join('-') })));
    let answer: { uri?: string; error?: string } = {};
    asking.on('message', (data) => {
      answer = JSON.parse((data as Buffer).toString()) as typeof answer;
    });
    await once(asking, 'close');
    if (answer.error !== undefined) refusal = answer.error;
    return answer.uri ?? null;
  }

  async function connect(): Promise<void> {
    const uri = await askWay();
    if (isStopped) return;
    if (uri === null) return again();
    const opened = open(uri);
    socket = opened;
    let isOpen = false;
    opened.on('open', () => {
      isOpen = true;
      counts.connected += 1;
      say({ msgtype: 'version', station: '2.0.6(simulated)', protocol: 2, model: 'simulator', features: 'gps' });
    });
    opened.on('message', (data) => receive((data as Buffer).toString()));
    opened.on('close', () => {
      if (radio) configured = Promise.withResolvers<void>();
      radio = null;
      again(isOpen);
    });
  }

  function again(wasConnected = false): void {
    if (!wasConnected) counts.refused += 1;
    if (!isStopped) cancelReconnect = clock.after(reconnectMs, () => void connect());
  }

  const say = (message: object) => sayText(formatExact(message));

  function sayText(text: string): boolean {
    if (socket?.readyState !== WebSocket.OPEN) return false;
    socket.send(text);
    return true;
  }

  function receive(text: string): void {
    const message = parseExact(text) as { msgtype: string };
    if (message.msgtype === 'router_config') {
      config = message as unknown as RouterConfig;
      radio = createStationRadio(config);
      configured.resolve();
    } else if (message.msgtype === 'dnmsg') {
      transmit(message as unknown as Dnmsg);
    } else if (message.msgtype === 'timesync') {
      times.put(BigInt((message as unknown as { gpstime: string }).gpstime));
    }
  }

  /** Sends in the first possible window and reports the transmission to the server. */
  function transmit(dnmsg: Dnmsg): void {
    counts.downlinks += 1;
    const [dr, frequency] = windowOf(dnmsg);
    const modulation = radio?.modulationOf(dr);
    if (!modulation || frequency === 0) return;
    const phyPayload = Uint8Array.fromHex(dnmsg.pdu);
    const delayUs = BigInt(Math.max(dnmsg.RxDelay ?? 0, 1) + (dnmsg.RX1Freq ? 0 : 1)) * 1_000_000n;
    const txpk = {
      ...(dnmsg.dC === 0 && { tmst: Number((BigInt(dnmsg.xtime ?? 0) + delayUs) % BigInt(wrap)) }),
      ...(dnmsg.dC === 1 && { tmms: Number(BigInt(dnmsg.gpstime ?? 0) / 1000n) }),
      ...(dnmsg.dC === 2 && { imme: true as const }),
      freq: frequency / 1e6,
      rfch: 0,
      powe: 14,
      ant: 0,
      brd: 0,
      ...modulationFields(modulation),
      ipol: true,
      size: phyPayload.length,
      data: phyPayload.toBase64(),
    } satisfies Txpk;
    const downlink = { token: dnmsg.diid, txpk, phyPayload, refusal: '' };
    say({
      msgtype: 'dntxed',
      diid: dnmsg.diid,
      DR: dr,
      Freq: frequency,
      txtime: 0,
      rctx: '0',
      xtime: '0',
      gpstime: '0',
    });
    for (const listener of listeners) listener(downlink);
    inbox.put(downlink);
  }

  async function stop(): Promise<void> {
    if (isStopped) return;
    isStopped = true;
    cancelReconnect();
    inbox.close();
    times.close();
    const open = socket;
    if (!open || open.readyState === WebSocket.CLOSED) return;
    const closed = once(open, 'close');
    open.terminate();
    await closed;
  }

  void connect();
  return {
    gatewayID,
    position,
    counts,
    config: () => config,
    online: () => configured.promise,
    refusal: () => refusal,
    hear(transmission, signal = { rssi: -60, snr: 9 }) {
      const xtime = session + microseconds();
      const heard = { token: 0, tmst: Number(xtime % BigInt(wrap)) };
      const dr = radio?.hear(transmission) ?? null;
      if (dr === null) {
        counts.unheard += 1;
        return { ...heard, acknowledged: Promise.resolve(false) };
      }
      const gpstime = hasGPS ? gpsTime() : 0n;
      const { frequency, phyPayload } = transmission;
      const isSent = sayText(
        stationMessage(phyPayload, { ...signal, dr, frequency, xtime, gpstime, time: clock.now() }),
      );
      if (isSent) counts.uplinks += 1;
      // The protocol has no acknowledgement: uplinks that the socket accepted count as acknowledged.
      return { ...heard, acknowledged: Promise.resolve(isSent) };
    },
    onDownlink(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    nextDownlink: (timeoutMs = 5000) => inbox.take(timeoutMs),
    syncTime() {
      say({ msgtype: 'timesync', txtime: String(microseconds()) });
      return times.take(5000);
    },
    sendRaw: (text) => socket?.send(text),
    concentratorTime,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function windowOf({ dC, DR = 0, Freq = 0, RX1DR = 0, RX1Freq = 0, RX2DR = 0, RX2Freq = 0 }: Dnmsg): [number, number] {
  if (dC === 1) return [DR, Freq];
  if (dC === 0 && RX1Freq !== 0) return [RX1DR, RX1Freq];
  return [RX2DR, RX2Freq];
}
