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
import type { Exchange } from './exchange.ts';
import type { GatewayNetwork, LinkNeeds } from './link.ts';
import type { GatewayPath } from './paths.ts';
import { createStationDownlinks } from './station-downlinks.ts';
import { stationRegion } from './station-region.ts';

export interface StationConnection {
  readonly socket: WebSocket;
  readonly path: GatewayPath;
  /** Resolves when the station answers a ping, or has not within 5 s. */
  isAlive(): Promise<boolean>;
  /** What time demands: pings, statistics, a new configuration, the end of a silent one. */
  tick(): void;
  /** Looks again whether it still may be connected. */
  prove(): void;
  close(code: number, reason: string): void;
  /** Without goodbye: nobody is there. */
  drop(): void;
}

interface StationConnectionDependencies extends Pick<LinkNeeds, 'gateways' | 'clock' | 'log' | 'count'> {
  socket: WebSocket;
  gatewayID: string;
  network: GatewayNetwork;
  isProven: boolean;
  /** Whether it still may be connected. */
  isWelcome: () => Promise<boolean>;
  /** Of the station. */
  address: string;
  exchange: Exchange;
  boundary: ErrorBoundary;
}

const silentMs = 65_000;
const pingEveryMs = 60_000;
const answerMs = 5_000;
const versionMs = 30_000;
/** What proves a gateway may end at any time: a key is revoked, a certificate expires. */
const proofMs = 5_000;
/** A station that reads slower than this piles up is let go. */
const mostUnread = 1024 * 1024;
/** So many uplinks of one station may wait for the journal before it is read no further. */
const mostUnderway = 256;

export function createStationConnection(needs: StationConnectionDependencies): StationConnection {
  const { socket, gatewayID, network, exchange, gateways, clock, log, count, address, boundary } = needs;
  const id = Uint8Array.fromHex(gatewayID);
  const { name, rates } = stationRegion(network);
  const downlinks = createStationDownlinks(clock);
  const startedAt = clock.monotonicMs();
  let heardAt = startedAt;
  let pingedAt = startedAt;
  let reportedAt = startedAt;
  let provedAt = startedAt;
  let underway = 0;
  let about: Readonly<Record<string, string>> = {};
  /** It said `version`, which it does once. */
  let isIntroduced = false;
  /** What the station was told; null before. */
  let told: { text: string; configuration: gw.GatewayConfiguration } | null = null;
  let traffic = { received: 0, asked: 0, emitted: 0 };
  let waiting: (() => void)[] = [];

  const path: GatewayPath = {
    link: 'basics-station',
    isProven: needs.isProven,
    send(frame) {
      const text = told && downlinks.say(frame, rates);
      if (!text || !say(text)) return false;
      traffic.asked += 1;
      const [first] = frame.items;
      if (first) exchange.left(gatewayID, first);
      return true;
    },
  };

  function say(text: string): boolean {
    if (socket.readyState !== socket.OPEN) return false;
    if (socket.bufferedAmount > mostUnread) {
      drop('slow');
      socket.terminate();
      return false;
    }
    socket.send(text);
    return true;
  }

  function drop(fault: string, reason = fault): void {
    count('gateway_messages_dropped', { fault });
    exchange.warn(fault, { gatewayID, address, reason }, 'A message of a station was dropped.');
  }

  function noteLife(): void {
    heardAt = clock.monotonicMs();
    for (const answer of waiting) answer();
    waiting = [];
  }

  function hear(data: RawData, isBinary: boolean): void {
    noteLife();
    if (isBinary) return drop('binary');
    try {
      handle(readStationMessage((data as Buffer).toString(), { gatewayID: id, rates: rates }));
    } catch (error) {
      drop(error instanceof PacketError ? error.fault : 'unexpected', String(error));
    }
  }

  function handle(message: StationMessage): void {
    switch (message.type) {
      case 'uplink':
        traffic.received += 1;
        underway += 1;
        if (underway >= mostUnderway) socket.pause();
        void receive(message.frame);
        break;
      case 'dntxed':
        acknowledge(message);
        break;
      case 'timesync': {
        const gpstime = String(Math.round(gpsTimeOf(clock.now()) * 1000));
        say(formatExact({ msgtype: 'timesync', txtime: String(message.txtime), gpstime }));
        break;
      }
      case 'version':
        introduce(message);
        break;
      default:
    }
  }

  async function receive(frame: gw.UplinkFrame): Promise<void> {
    try {
      const current = await exchange.networkOf(gatewayID, address);
      if (current === network) await exchange.receive(gatewayID, path, network, [frame]);
      else leave(current);
    } catch (error) {
      drop('not-taken', String(error));
    } finally {
      underway -= 1;
      if (underway < mostUnderway) socket.resume();
    }
  }

  /** The gateway was removed, or belongs to another network now: who connects again learns what is true. */
  function leave(current: GatewayNetwork | null): void {
    if (!current) count('gateway_messages_dropped', { fault: 'unknown-gateway' });
    close(1008, current ? 'the gateway moved' : 'the gateway is not known');
  }

  function acknowledge({ diid, frequency }: StationMessage & { type: 'dntxed' }): void {
    const ack = downlinks.acknowledge(diid, frequency);
    if (!ack) return count('gateway_acks_unknown');
    traffic.emitted += 1;
    exchange.answered(gatewayID, 'OK');
    exchange.finished(gatewayID, path, ack);
  }

  function introduce(version: StationMessage & { type: 'version' }): void {
    if (isIntroduced) return drop('version', 'it was said before');
    isIntroduced = true;
    if (version.protocol !== 2) return close(1002, `protocol ${version.protocol} is not known, 2 is`);
    about = version.about;
    network
      .configurationOf(gatewayID)
      .then((configuration) => {
        const { config, leftOut } = routerConfigOf(stationRegion(network), configuration.channels);
        if (leftOut.length === configuration.channels.length) {
          drop('configuration', `stations have no radio for the channels of ${name}`);
          return close(1011, 'no channel fits');
        }
        if (leftOut.length > 0) {
          const channels = leftOut.map(({ frequency }) => frequency);
          exchange.warn(
            `channels/${gatewayID}`,
            { gatewayID, channels },
            'The station has no room for these channels.',
          );
        }
        told = { text: JSON.stringify(config), configuration };
        say(JSON.stringify({ ...config, MuxTime: clock.now().getTime() / 1000 }));
        log.info({ gatewayID, address, ...about }, 'The station is connected.');
      })
      .catch((error: unknown) => drop('configuration', String(error)));
  }

  /** Stations count nothing themselves. */
  async function report(): Promise<void> {
    const { received, asked, emitted } = traffic;
    traffic = { received: 0, asked: 0, emitted: 0 };
    const current = await exchange.networkOf(gatewayID, address);
    if (current !== network) return leave(current);
    const stats = create(gw.GatewayStats, {
      gatewayID: id,
      ip: address,
      time: clock.now(),
      configVersion: told?.configuration.version ?? '',
      rxPacketsReceived: received,
      rxPacketsReceivedOK: received,
      txPacketsReceived: asked,
      txPacketsEmitted: emitted,
      metaData: { ...about, link: 'basics-station' },
    });
    await exchange.report(gatewayID, path, network, stats);
    if (told && (await isOutdated(network, gatewayID, told.text))) {
      count('gateway_configurations');
      close(1012, 'the configuration changed');
    }
  }

  const prove = boundary.guard(socket, async (): Promise<void> => {
    provedAt = clock.monotonicMs();
    // What cannot be found out at this moment changes nothing.
    const isWelcome = await needs.isWelcome().catch(() => true);
    if (isWelcome) return;
    count('gateway_connections_ended', { reason: 'no-proof' });
    close(1008, 'what proved who the gateway is has ended');
  });

  function close(code: number, reason: string): void {
    socket.close(code, reason);
  }

  socket.on('message', boundary.guard(socket, hear));
  socket.on('ping', noteLife);
  socket.on('pong', noteLife);
  socket.on('error', (error: NodeJS.ErrnoException) => drop(error.code ?? 'protocol', error.message));
  socket.on(
    'close',
    boundary.guard(socket, () => {
      gateways.close(gatewayID, path);
      downlinks.forget();
      for (const answer of waiting) answer();
      log.info({ gatewayID, address }, 'The station is gone.');
    }),
  );

  return {
    socket,
    path,
    async isAlive() {
      const asked = clock.monotonicMs();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      socket.ping();
      const cancel = clock.after(answerMs, resolve);
      await promise;
      cancel();
      return socket.readyState === socket.OPEN && clock.monotonicMs() - asked < answerMs;
    },
    tick() {
      const now = clock.monotonicMs();
      if (now - heardAt >= silentMs || (!told && now - startedAt >= versionMs)) {
        count('gateway_connections_ended', { reason: told ? 'silent' : 'no-version' });
        return socket.terminate();
      }
      if (gateways.of(gatewayID) !== path && !gateways.open(gatewayID, path)) {
        return close(1008, 'the gateway is connected in another way');
      }
      if (now - pingedAt >= pingEveryMs) {
        pingedAt = now;
        socket.ping();
      }
      if (needs.isProven && now - provedAt >= proofMs) {
        prove();
      }
      if (now - reportedAt < (told?.configuration.statsInterval ?? Number.POSITIVE_INFINITY)) return;
      reportedAt = now;
      report().catch((error: unknown) => drop('report', String(error)));
    },
    prove,
    close,
    drop: () => socket.terminate(),
  };
}

async function isOutdated(network: GatewayNetwork, gatewayID: string, text: string): Promise<boolean> {
  const { channels } = await network.configurationOf(gatewayID);
  return JSON.stringify(routerConfigOf(stationRegion(network), channels).config) !== text;
}
