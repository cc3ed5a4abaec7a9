/**
 * Gateways that publish what they hear, as ChirpStack Gateway Bridge does. What stands between is told by whoever has
 * the broker: each message with the client it came by, and when a client is gone.
 */
import {
  type BridgeFormat,
  type BridgeTopic,
  bridgeTopic,
  PacketError,
  readBridgeMessage,
  readBridgeTopic,
  writeBridgeConfiguration,
  writeBridgeDownlink,
} from '@hilltop/gateway-protocols';
import type { gw } from '@hilltop/protobuf';
import type { LogFields } from '../platform/runtime.ts';
import { createExchange } from './exchange.ts';
import type { GatewayNetwork, Link, LinkNeeds } from './link.ts';
import { createMqttDownlinks } from './mqtt-downlinks.ts';
import type { GatewayPath } from './paths.ts';

/** What a message came by: the connection of one gateway to our broker, or ours to a broker that has them all. */
export interface BridgeClient {
  /** It is the connection of one gateway that proved who it is. */
  isProven: boolean;
  /** Answers false when it is not connected. */
  publish(topic: string, payload: Uint8Array): boolean;
}

export interface BridgeMessageIn {
  topic: string;
  payload: Uint8Array;
  /** Said some time ago, and kept by the broker for us. */
  isRetained: boolean;
}

export interface MqttGateways extends Link {
  /** Resolves when the message may be acknowledged. Rejects when it was not taken, and should come again. */
  take(client: BridgeClient, message: BridgeMessageIn): Promise<void>;
  /** Its connection is over, and so are the paths that went by it. */
  gone(client: BridgeClient): void;
}

interface Gateway {
  client: BridgeClient;
  /** What it said last, and how: it is answered in the same way. */
  prefix: string;
  format: BridgeFormat;
  path: GatewayPath;
  downlinks: ReturnType<typeof createMqttDownlinks>;
  heardAt: number;
  reportedAt: number | undefined;
  silentAfterMs: number;
}

const sweepEveryMs = 10_000;
/** Of a gateway whose reports are not known yet. */
const patienceMs = 300_000;
/** Reports that may stay away. */
const missedReports = 3;
const shortestPatienceMs = 90_000;
const longestPatienceMs = 3 * 3_600_000;

export function startMqttGateways(needs: LinkNeeds): MqttGateways {
  const { gateways, clock, log, count, mostGateways = 50_000 } = needs;
  const exchange = createExchange(needs);
  const known = new Map<string, Gateway>();
  const ofClient = new Map<BridgeClient, Set<string>>();

  function drop(fault: string, fields: LogFields): void {
    count('gateway_messages_dropped', { fault });
    exchange.warn(`mqtt/${fault}`, fields, 'A message of a gateway was dropped.');
  }

  async function take(client: BridgeClient, { topic: text, payload, isRetained }: BridgeMessageIn): Promise<void> {
    const topic = readBridgeTopic(text);
    if (!topic) return drop('topic', { topic: text.slice(0, 256) });
    const { gatewayID } = topic;
    const network = await exchange.networkOf(gatewayID);
    if (!network) return count('gateway_messages_dropped', { fault: 'unknown-gateway' });
    try {
      await handle(client, topic, network, { payload, isRetained });
    } catch (error) {
      if (error instanceof PacketError) return drop(error.fault, { gatewayID, reason: error.message });
      drop('not-taken', { gatewayID, reason: String(error) });
      throw error;
    }
  }

  async function handle(
    client: BridgeClient,
    topic: BridgeTopic,
    network: GatewayNetwork,
    { payload, isRetained }: Omit<BridgeMessageIn, 'topic'>,
  ): Promise<void> {
    const { gatewayID, prefix } = topic;
    const message = readBridgeMessage(topic, payload);
    if (message.name === 'unused') return count('gateway_messages_unused', { event: topic.name });
    if (message.name === 'conn' && !message.isOnline) return leave(gatewayID, client, 'The gateway is offline.');
    const gateway = meet(gatewayID, client);
    if (!gateway) return count('gateway_paths_full');
    Object.assign(gateway, { prefix, format: message.format, heardAt: clock.monotonicMs() });
    switch (message.name) {
      case 'up':
        if (message.frame.rxInfo?.crcStatus === 'BAD_CRC') return count('gateway_uplinks_without_crc');
        return exchange.receive(gatewayID, gateway.path, network, [message.frame]);
      case 'stats':
        return report(gatewayID, gateway, network, message.stats);
      case 'ack':
        return acknowledge(gatewayID, gateway, message.ack);
      case 'conn':
        if (!isRetained) await network.gatewaySeen(gatewayID);
    }
  }

  /** The gateway as it is reached by this client; undefined when there are too many. */
  function meet(gatewayID: string, client: BridgeClient): Gateway | undefined {
    const there = known.get(gatewayID);
    const gateway = there?.client === client ? there : begin(gatewayID, client);
    if (!gateway || gateways.of(gatewayID) === gateway.path) return gateway;
    if (!gateways.open(gatewayID, gateway.path)) {
      count('gateway_path_held');
      exchange.warn(`held/${gatewayID}`, { gatewayID }, 'A connected gateway is also heard by MQTT.');
    } else log.info({ gatewayID, isProven: client.isProven }, 'The gateway is connected by MQTT.');
    return gateway;
  }

  function begin(gatewayID: string, client: BridgeClient): Gateway | undefined {
    if (!known.has(gatewayID) && known.size >= mostGateways) return undefined;
    forget(gatewayID);
    const gateway: Gateway = {
      client,
      prefix: '',
      format: { version: 3, encoding: 'protobuf' },
      path: { link: 'mqtt', isProven: client.isProven, send: (frame) => send(gatewayID, gateway, frame) },
      downlinks: createMqttDownlinks(clock),
      heardAt: clock.monotonicMs(),
      reportedAt: undefined,
      silentAfterMs: patienceMs,
    };
    known.set(gatewayID, gateway);
    ofClient.set(client, (ofClient.get(client) ?? new Set()).add(gatewayID));
    return gateway;
  }

  function tell(gatewayID: string, { client, prefix }: Gateway, name: string, payload: Uint8Array): boolean {
    return client.publish(bridgeTopic({ prefix, gatewayID, part: 'command', name }), payload);
  }

  function send(gatewayID: string, gateway: Gateway, frame: gw.DownlinkFrame): boolean {
    const [first] = frame.items;
    if (!first || !tell(gatewayID, gateway, 'down', writeBridgeDownlink(gateway.format, frame))) return false;
    gateway.downlinks.add(frame);
    exchange.left(gatewayID, first);
    return true;
  }

  function acknowledge(gatewayID: string, { downlinks, path }: Gateway, ack: gw.DownlinkTXAck): void {
    const found = downlinks.take(ack);
    if (!found) return count('gateway_acks_unknown');
    for (const [index, { status }] of found.told.items.entries()) {
      if (status === 'IGNORED') continue;
      if (index > 0) exchange.left(gatewayID, found.frame.items[index]!);
      exchange.answered(gatewayID, status);
    }
    exchange.finished(gatewayID, path, found.told);
  }

  async function report(
    gatewayID: string,
    gateway: Gateway,
    network: GatewayNetwork,
    stats: gw.GatewayStats,
  ): Promise<void> {
    const { path, reportedAt } = gateway;
    const now = clock.monotonicMs();
    gateway.reportedAt = now;
    if (reportedAt !== undefined) {
      const patience = missedReports * (now - reportedAt);
      gateway.silentAfterMs = Math.min(longestPatienceMs, Math.max(shortestPatienceMs, patience));
    }
    if ('concentratord_version' in stats.metaData)
      path.configure = (configuration) => {
        tell(gatewayID, gateway, 'config', writeBridgeConfiguration(gateway.format, configuration));
      };
    await exchange.report(gatewayID, path, network, stats);
  }

  function leave(gatewayID: string, client: BridgeClient, why: string): void {
    if (known.get(gatewayID)?.client !== client) return;
    forget(gatewayID);
    log.info({ gatewayID }, why);
  }

  function forget(gatewayID: string): void {
    const gateway = known.get(gatewayID);
    if (!gateway) return;
    gateways.close(gatewayID, gateway.path);
    known.delete(gatewayID);
    const others = ofClient.get(gateway.client);
    others?.delete(gatewayID);
    if (others?.size === 0) ofClient.delete(gateway.client);
  }

  /** Whoever has a connection of its own is there as long as that; of the others only their silence tells. */
  function sweep(): void {
    const now = clock.monotonicMs();
    for (const [gatewayID, { client, heardAt, silentAfterMs }] of known)
      if (!client.isProven && now - heardAt > silentAfterMs)
        leave(gatewayID, client, 'The gateway went silent: several reports stayed away.');
    cancelSweep = clock.after(sweepEveryMs, sweep);
  }

  let cancelSweep = clock.after(sweepEveryMs, sweep);
  async function stop(): Promise<void> {
    cancelSweep();
    for (const gatewayID of [...known.keys()]) forget(gatewayID);
  }
  return {
    take,
    gone(client) {
      for (const gatewayID of [...(ofClient.get(client) ?? [])])
        leave(gatewayID, client, 'The connection of the gateway is over.');
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
