/** One station on its data connection, from `version` to the end. */
import {
  formatExact,
  PacketError,
  readStationMessage,
  routerConfigOf,
  type StationMessage,
} from '@hilltop/gateway-protocols';
import { gpsTimeOf } from '@hilltop/lorawan';
import { create, gw } from '@hilltop/protobuf';
import type { RawData, WebSocket } from 'ws';
import type { ErrorBoundary } from '../platform/error-boundary.ts';
import { createTokenBucket } from '../platform/token-bucket.ts';
import type { Exchange } from './exchange.ts';
import { type GatewayNetwork, type LinkNeeds, mostGatewayMessagesPerSecond } from './link.ts';
import type { GatewayPath } from './paths.ts';
import { createStationDownlinks } from './station-downlinks.ts';
import { stationRegion } from './station-region.ts';

interface StationConnectionDependencies extends Pick<LinkNeeds, 'gateways' | 'clock' | 'log' | 'count'> {
  socket: WebSocket;
  gatewayID: string;
  network: GatewayNetwork;
  isProven: boolean;
  /** Whether the station may still be connected. */
  isAdmitted: () => Promise<boolean>;
  /** The address of the station. */
  address: string;
  exchange: Exchange;
  boundary: ErrorBoundary;
}

const silentMs = 65_000;
const pingEveryMs = 60_000;
const pongWithinMs = 5_000;
const versionWithinMs = 30_000;
/** A proof may end at any time: a key is revoked, a certificate expires. */
const proofEveryMs = 5_000;
/** A station with more unread bytes than this loses its connection. */
const mostUnreadBytes = 1024 * 1024;
/** The most uplinks of one station that may wait for the journal before the link stops reading. */
const mostUnstoredUplinks = 256;
/** A message counts as one for each of these bytes that begins. The longest frame with its JSON has fewer. */
const bytesPerMessage = 1024;

export class StationConnection {
  readonly socket: WebSocket;
  readonly path: GatewayPath;
  readonly #needs: StationConnectionDependencies;
  readonly #gatewayEUI: Uint8Array;
  readonly #region: ReturnType<typeof stationRegion>;
  readonly #downlinks: ReturnType<typeof createStationDownlinks>;
  readonly #startedAt: number;
  #lastMessageAt: number;
  #lastPingAt: number;
  #lastReportAt: number;
  #lastProofAt: number;
  #unstoredUplinks = 0;
  readonly #pace: (cost: number) => number;
  #isTooFast = false;
  #cancelWait: () => void = () => undefined;
  #about: Readonly<Record<string, string>> = {};
  /** Set by `version`, which a station sends once. */
  #isIntroduced = false;
  /** The configuration that was sent to the station; null before. */
  #sent: { text: string; configuration: gw.GatewayConfiguration } | null = null;
  #traffic = { received: 0, asked: 0, emitted: 0 };
  #waitForLife: (() => void)[] = [];

  constructor(needs: StationConnectionDependencies) {
    const { socket, gatewayID, network, address, clock, isProven, boundary } = needs;
    this.socket = socket;
    this.#needs = needs;
    this.#gatewayEUI = Uint8Array.fromHex(gatewayID);
    this.#region = stationRegion(network);
    this.#downlinks = createStationDownlinks(clock);
    this.#startedAt = clock.monotonicMs();
    this.#pace = createTokenBucket(mostGatewayMessagesPerSecond, () => clock.monotonicMs());
    this.#lastMessageAt = this.#startedAt;
    this.#lastPingAt = this.#startedAt;
    this.#lastReportAt = this.#startedAt;
    this.#lastProofAt = this.#startedAt;
    this.path = { link: 'basics-station', isProven, address, send: (frame) => this.#sendDownlink(frame) };
    socket.on(
      'message',
      boundary.guard(socket, (data: RawData, isBinary: boolean) => this.#onMessage(data, isBinary)),
    );
    socket.on('ping', () => this.#noteReceived());
    socket.on('pong', () => this.#noteReceived());
    socket.on('error', (error: NodeJS.ErrnoException) => this.#drop(error.code ?? 'protocol', error.message));
    socket.on(
      'close',
      boundary.guard(socket, (code: number) => this.#onClose(code)),
    );
  }

  /** Resolves with true when the station answers a ping, and with false after 5 s. */
  async isAlive(): Promise<boolean> {
    const { clock } = this.#needs;
    const pingedAt = clock.monotonicMs();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waitForLife.push(resolve);
    this.socket.ping();
    const cancel = clock.after(pongWithinMs, resolve);
    await promise;
    cancel();
    return this.socket.readyState === this.socket.OPEN && clock.monotonicMs() - pingedAt < pongWithinMs;
  }

  /** Runs periodic work: pings, reports, checks of the proof, the end of a silent connection. */
  tick(): void {
    const { gatewayID, gateways, clock, count, isProven } = this.#needs;
    const now = clock.monotonicMs();
    const isIntroducedLate = !this.#sent && now - this.#startedAt >= versionWithinMs;
    if (now - this.#lastMessageAt >= silentMs || isIntroducedLate) {
      count('gateway_connections_ended', { reason: this.#sent ? 'silent' : 'no-version' });
      return this.socket.terminate();
    }
    if (gateways.of(gatewayID) !== this.path && !gateways.open(gatewayID, this.path))
      return this.close(1008, 'the gateway is connected in another way');
    if (now - this.#lastPingAt >= pingEveryMs) {
      this.#lastPingAt = now;
      this.socket.ping();
    }
    if (isProven && now - this.#lastProofAt >= proofEveryMs) this.checkProof();
    if (now - this.#lastReportAt < (this.#sent?.configuration.statsInterval ?? Number.POSITIVE_INFINITY)) return;
    this.#lastReportAt = now;
    this.#report().catch((error: unknown) => this.#drop('report', String(error)));
  }

  /** Ends the connection when the station may not be connected any more. */
  checkProof(): void {
    const { boundary, count, clock, isAdmitted } = this.#needs;
    const check = async (): Promise<void> => {
      this.#lastProofAt = clock.monotonicMs();
      // A failed check changes nothing.
      if (await isAdmitted().catch(() => true)) return;
      count('gateway_connections_ended', { reason: 'no-proof' });
      this.close(1008, 'what proved who the gateway is has ended');
    };
    boundary.guard(this.socket, check)();
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason);
  }

  /** Closes without a handshake: the station does not answer. */
  terminate(): void {
    this.socket.terminate();
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    this.#noteReceived((data as Buffer).length);
    if (isBinary) return this.#drop('binary');
    try {
      const text = (data as Buffer).toString();
      this.#handle(readStationMessage(text, { gatewayID: this.#gatewayEUI, rates: this.#region.rates }));
    } catch (error) {
      this.#drop(error instanceof PacketError ? error.fault : 'unexpected', String(error));
    }
  }

  #handle(message: StationMessage): void {
    switch (message.type) {
      case 'uplink':
        this.#traffic.received += 1;
        this.#unstoredUplinks += 1;
        this.#readOrPause();
        void this.#receive(message.frame);
        break;
      case 'dntxed':
        this.#acknowledge(message);
        break;
      case 'timesync': {
        const gpstime = String(Math.round(gpsTimeOf(this.#needs.clock.now()) * 1000));
        this.#send(formatExact({ msgtype: 'timesync', txtime: String(message.txtime), gpstime }));
        break;
      }
      case 'version':
        this.#introduce(message);
        break;
      default:
    }
  }

  async #receive(frame: gw.UplinkFrame): Promise<void> {
    const { exchange, gatewayID, address, network } = this.#needs;
    try {
      const current = await exchange.networkOf(gatewayID, address);
      if (current === network) await exchange.receive(gatewayID, this.path, network, [frame]);
      else this.#closeMoved(current);
    } catch (error) {
      this.#drop('not-taken', String(error));
    } finally {
      this.#unstoredUplinks -= 1;
      this.#readOrPause();
    }
  }

  /** The gateway was removed, or belongs to another network now: the next connection learns that. */
  #closeMoved(current: GatewayNetwork | null): void {
    if (!current) this.#needs.count('gateway_messages_dropped', { fault: 'unknown-gateway' });
    this.close(1008, current ? 'the gateway moved' : 'the gateway is not known');
  }

  #sendDownlink(frame: gw.DownlinkFrame): boolean {
    const text = this.#sent && this.#downlinks.encode(frame, this.#region.rates);
    if (!text || !this.#send(text)) return false;
    this.#traffic.asked += 1;
    const [first] = frame.items;
    if (first) this.#needs.exchange.noteSent(this.#needs.gatewayID, first);
    return true;
  }

  #acknowledge({ diid, frequency }: StationMessage & { type: 'dntxed' }): void {
    const { exchange, gatewayID, count } = this.#needs;
    const ack = this.#downlinks.acknowledge(diid, frequency);
    if (!ack) return count('gateway_acks_unknown');
    this.#traffic.emitted += 1;
    exchange.noteStatus(gatewayID, 'OK');
    exchange.handleResult(gatewayID, this.path, ack);
  }

  #introduce(version: StationMessage & { type: 'version' }): void {
    if (this.#isIntroduced) return this.#drop('version', 'it was said before');
    this.#isIntroduced = true;
    if (version.protocol !== 2) return this.close(1002, `protocol ${version.protocol} is not known, 2 is`);
    this.#about = version.about;
    const { network, gatewayID } = this.#needs;
    network
      .configurationOf(gatewayID)
      .then((configuration) => this.#configure(configuration))
      .catch((error: unknown) => this.#drop('configuration', String(error)));
  }

  #configure(configuration: gw.GatewayConfiguration): void {
    const { exchange, network, gatewayID, address, clock, log } = this.#needs;
    const { config, leftOut } = routerConfigOf(stationRegion(network), configuration.channels);
    if (leftOut.length === configuration.channels.length) {
      this.#drop('configuration', `stations have no radio for the channels of ${this.#region.name}`);
      return this.close(1011, 'no channel fits');
    }
    if (leftOut.length > 0) {
      const channels = leftOut.map(({ frequency }) => frequency);
      const text = 'The station has no room for these channels.';
      exchange.warn(`channels/${gatewayID}`, { gatewayID, channels }, text);
    }
    this.#sent = { text: JSON.stringify(config), configuration };
    this.#send(JSON.stringify({ ...config, MuxTime: clock.now().getTime() / 1000 }));
    log.info({ gatewayID, address, ...this.#about }, 'The station is connected.');
  }

  /** Stations have no counters of their own. */
  async #report(): Promise<void> {
    const { exchange, network, gatewayID, address, clock, count } = this.#needs;
    const { received, asked, emitted } = this.#traffic;
    this.#traffic = { received: 0, asked: 0, emitted: 0 };
    const current = await exchange.networkOf(gatewayID, address);
    if (current !== network) return this.#closeMoved(current);
    const stats = create(gw.GatewayStats, {
      gatewayID: this.#gatewayEUI,
      ip: address,
      time: clock.now(),
      configVersion: this.#sent?.configuration.version ?? '',
      rxPacketsReceived: received,
      rxPacketsReceivedOK: received,
      txPacketsReceived: asked,
      txPacketsEmitted: emitted,
      metaData: { ...this.#about, link: 'basics-station' },
    });
    await exchange.report(gatewayID, this.path, network, stats);
    if (this.#sent && (await isOutdated(network, gatewayID, this.#sent.text))) {
      count('gateway_configurations');
      this.close(1012, 'the configuration changed');
    }
  }

  #send(text: string): boolean {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return false;
    if (socket.bufferedAmount > mostUnreadBytes) {
      this.#drop('slow');
      socket.terminate();
      return false;
    }
    socket.send(text);
    return true;
  }

  /** Call it for everything that the station sends: a station that sends too fast is not read for a while. */
  #noteReceived(bytes = 0): void {
    const { exchange, gatewayID, address, count } = this.#needs;
    this.#noteLife();
    const waitMs = this.#pace(Math.max(1, Math.ceil(bytes / bytesPerMessage)));
    if (waitMs === 0 || this.#isTooFast) return;
    count('gateway_connections_held_up');
    exchange.warn(`too-fast/${gatewayID}`, { gatewayID, address }, 'A station sends too fast: its messages wait.');
    this.#readAfter(waitMs);
  }

  #readAfter(waitMs: number): void {
    this.#isTooFast = waitMs > 0;
    this.#readOrPause();
    // What the socket had read before it paused makes the wait longer.
    if (this.#isTooFast) this.#cancelWait = this.#needs.clock.after(waitMs, () => this.#readAfter(this.#pace(0)));
  }

  #readOrPause(): void {
    if (this.#isTooFast || this.#unstoredUplinks >= mostUnstoredUplinks) this.socket.pause();
    else this.socket.resume();
  }

  #drop(fault: string, reason = fault): void {
    const { count, exchange, gatewayID, address } = this.#needs;
    count('gateway_messages_dropped', { fault });
    exchange.warn(fault, { gatewayID, address, reason }, 'A message of a station was dropped.');
  }

  #noteLife(): void {
    const { exchange, gatewayID, clock } = this.#needs;
    this.#lastMessageAt = clock.monotonicMs();
    exchange.noteSign(gatewayID, this.path);
    for (const resolve of this.#waitForLife) resolve();
    this.#waitForLife = [];
  }

  #onClose(code: number): void {
    const { gateways, exchange, gatewayID, address, log } = this.#needs;
    gateways.close(gatewayID, this.path);
    exchange.noteEnd(gatewayID, `websocket closed (${code})`);
    this.#downlinks.forget();
    this.#cancelWait();
    for (const resolve of this.#waitForLife) resolve();
    log.info({ gatewayID, address }, 'The station is gone.');
  }
}

async function isOutdated(network: GatewayNetwork, gatewayID: string, text: string): Promise<boolean> {
  const { channels } = await network.configurationOf(gatewayID);
  return JSON.stringify(routerConfigOf(stationRegion(network), channels).config) !== text;
}
