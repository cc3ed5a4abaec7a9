/**
 * Gateways that publish their uplinks over MQTT, as ChirpStack Gateway Bridge does. The owner of the broker connection
 * passes each message with the client that it came from, and reports when a client has disconnected.
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
import { createExchange, type Exchange } from './exchange.ts';
import type { GatewayNetwork, Link, LinkNeeds } from './link.ts';
import { createMqttDownlinks } from './mqtt-downlinks.ts';
import type { GatewayPath } from './paths.ts';

/** The connection of one gateway to our broker, or our connection to a broker that has many gateways. */
export interface BridgeClient {
  /** It is the connection of one gateway, which has authenticated. */
  isProven: boolean;
  /** Returns false when it is not connected. */
  publish(topic: string, payload: Uint8Array): boolean;
}

export interface BridgeMessageIn {
  topic: string;
  payload: Uint8Array;
  /** The broker stored it before the subscription. */
  isRetained: boolean;
}

export interface MqttGateways extends Link {
  /** Resolves when the message may be acknowledged. Rejects when the broker should deliver it again. */
  take(client: BridgeClient, message: BridgeMessageIn): Promise<void>;
  /** Call it when a client has disconnected: closes the paths that use it. */
  gone(client: BridgeClient): void;
}

interface Gateway {
  client: BridgeClient;
  /** The topic prefix of its last message: commands use the same. */
  prefix: string;
  format: BridgeFormat;
  path: GatewayPath;
  /** The broker closes its connection, or reports it as offline, when the gateway is gone. */
  isConnected: boolean;
  downlinks: ReturnType<typeof createMqttDownlinks>;
  receivedAt: number;
  reportedAt: number | undefined;
  silentAfterMs: number;
}

const sweepEveryMs = 10_000;
/** How long a gateway may be silent before its second report. */
const firstPatienceMs = 300_000;
/** The number of missed reports after which a gateway counts as silent. */
const missedReports = 3;
const shortestPatienceMs = 90_000;
const longestPatienceMs = 3 * 3_600_000;

export function startMqttGateways(needs: LinkNeeds): MqttGateways {
  return new MqttLink(needs);
}

class MqttLink implements MqttGateways {
  readonly #needs: LinkNeeds;
  readonly #exchange: Exchange;
  readonly #known = new Map<string, Gateway>();
  readonly #gatewaysOf = new Map<BridgeClient, Set<string>>();
  #cancelSweep: () => void = () => undefined;

  constructor(needs: LinkNeeds) {
    this.#needs = needs;
    this.#exchange = createExchange(needs);
    this.#sweepLater();
  }

  async take(client: BridgeClient, { topic: text, payload, isRetained }: BridgeMessageIn): Promise<void> {
    const topic = readBridgeTopic(text);
    if (!topic) return this.#drop('topic', { topic: text.slice(0, 256) });
    const { gatewayID } = topic;
    const network = await this.#exchange.networkOf(gatewayID);
    if (!network) return this.#needs.count('gateway_messages_dropped', { fault: 'unknown-gateway' });
    try {
      await this.#handle(client, topic, network, { payload, isRetained });
    } catch (error) {
      if (error instanceof PacketError) return this.#drop(error.fault, { gatewayID, reason: error.message });
      this.#drop('not-taken', { gatewayID, reason: String(error) });
      throw error;
    }
  }

  gone(client: BridgeClient): void {
    for (const gatewayID of [...(this.#gatewaysOf.get(client) ?? [])]) {
      this.#leave(gatewayID, client, 'The connection of the gateway is over.');
      // Without proof it is our own connection to a broker.
      if (client.isProven) this.#exchange.noteEnd(gatewayID, 'MQTT connection closed');
    }
  }

  async stop(): Promise<void> {
    this.#cancelSweep();
    for (const gatewayID of [...this.#known.keys()]) this.#forget(gatewayID);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #handle(
    client: BridgeClient,
    topic: BridgeTopic,
    network: GatewayNetwork,
    { payload, isRetained }: Omit<BridgeMessageIn, 'topic'>,
  ): Promise<void> {
    const { gatewayID, prefix } = topic;
    const { count, clock } = this.#needs;
    const message = readBridgeMessage(topic, payload);
    if (message.name === 'unused') return count('gateway_messages_unused', { event: topic.name });
    if (message.name === 'conn' && !message.isOnline) {
      this.#leave(gatewayID, client, 'The gateway is offline.');
      return this.#exchange.noteEnd(gatewayID, 'MQTT last will');
    }
    const gateway = this.#connect(gatewayID, client);
    if (!gateway) return count('gateway_paths_full');
    this.#exchange.noteSign(gatewayID, gateway.path);
    Object.assign(gateway, { prefix, format: message.format, receivedAt: clock.monotonicMs() });
    switch (message.name) {
      case 'up':
        if (message.frame.rxInfo?.crcStatus === 'BAD_CRC')
          return this.#dropUnreadable(gatewayID, gateway, network, message.frame);
        return this.#exchange.receive(gatewayID, gateway.path, network, [message.frame]);
      case 'stats':
        return this.#report(gatewayID, gateway, network, message.stats);
      case 'ack':
        return this.#acknowledge(gatewayID, gateway, message.ack);
      case 'conn':
        gateway.isConnected = true;
        if (!isRetained) await network.gatewaySeen(gatewayID);
    }
  }

  #dropUnreadable(
    gatewayID: string,
    { path }: Gateway,
    network: GatewayNetwork,
    { txInfo, phyPayload }: gw.UplinkFrame,
  ): void {
    this.#needs.count('gateway_uplinks_without_crc');
    if (!txInfo) return;
    this.#exchange.receiveUnreadable(gatewayID, path, network, [{ txInfo, size: phyPayload.length }]);
  }

  /** The gateway as this client reaches it; undefined when there are too many. */
  #connect(gatewayID: string, client: BridgeClient): Gateway | undefined {
    const { gateways, count, log } = this.#needs;
    const known = this.#known.get(gatewayID);
    const gateway = known?.client === client ? known : this.#add(gatewayID, client);
    if (!gateway || gateways.of(gatewayID) === gateway.path) return gateway;
    if (!gateways.open(gatewayID, gateway.path)) {
      count('gateway_path_held');
      this.#exchange.warn(`held/${gatewayID}`, { gatewayID }, 'A connected gateway is also heard by MQTT.');
    } else log.info({ gatewayID, isProven: client.isProven }, 'The gateway is connected by MQTT.');
    return gateway;
  }

  #add(gatewayID: string, client: BridgeClient): Gateway | undefined {
    const { clock, mostGateways = 50_000 } = this.#needs;
    if (!this.#known.has(gatewayID) && this.#known.size >= mostGateways) return undefined;
    this.#forget(gatewayID);
    const gateway: Gateway = {
      client,
      prefix: '',
      format: { version: 3, encoding: 'protobuf' },
      isConnected: client.isProven,
      path: { link: 'mqtt', isProven: client.isProven, send: (frame) => this.#send(gatewayID, gateway, frame) },
      downlinks: createMqttDownlinks(clock),
      receivedAt: clock.monotonicMs(),
      reportedAt: undefined,
      silentAfterMs: firstPatienceMs,
    };
    this.#known.set(gatewayID, gateway);
    this.#gatewaysOf.set(client, (this.#gatewaysOf.get(client) ?? new Set()).add(gatewayID));
    return gateway;
  }

  #send(gatewayID: string, gateway: Gateway, frame: gw.DownlinkFrame): boolean {
    const [first] = frame.items;
    if (!first || !publishCommand(gatewayID, gateway, 'down', writeBridgeDownlink(gateway.format, frame))) return false;
    gateway.downlinks.add(frame);
    this.#exchange.noteSent(gatewayID, first);
    return true;
  }

  #acknowledge(gatewayID: string, { downlinks, path }: Gateway, ack: gw.DownlinkTXAck): void {
    const found = downlinks.take(ack);
    if (!found) return this.#needs.count('gateway_acks_unknown');
    for (const [index, { status }] of found.ack.items.entries()) {
      if (status === 'IGNORED') continue;
      if (index > 0) this.#exchange.noteSent(gatewayID, found.frame.items[index]!);
      this.#exchange.noteStatus(gatewayID, status);
    }
    this.#exchange.handleResult(gatewayID, path, found.ack);
  }

  async #report(gatewayID: string, gateway: Gateway, network: GatewayNetwork, stats: gw.GatewayStats): Promise<void> {
    const { path, reportedAt } = gateway;
    const now = this.#needs.clock.monotonicMs();
    gateway.reportedAt = now;
    if (reportedAt !== undefined) {
      const patienceMs = missedReports * (now - reportedAt);
      gateway.silentAfterMs = Math.min(longestPatienceMs, Math.max(shortestPatienceMs, patienceMs));
    }
    if ('concentratord_version' in stats.metaData)
      path.configure = (configuration) => {
        publishCommand(gatewayID, gateway, 'config', writeBridgeConfiguration(gateway.format, configuration));
      };
    await this.#exchange.report(gatewayID, path, network, stats);
  }

  #leave(gatewayID: string, client: BridgeClient, text: string): void {
    if (this.#known.get(gatewayID)?.client !== client) return;
    this.#forget(gatewayID);
    this.#needs.log.info({ gatewayID }, text);
  }

  #forget(gatewayID: string): void {
    const gateway = this.#known.get(gatewayID);
    if (!gateway) return;
    this.#needs.gateways.close(gatewayID, gateway.path);
    this.#known.delete(gatewayID);
    const others = this.#gatewaysOf.get(gateway.client);
    others?.delete(gatewayID);
    if (others?.size === 0) this.#gatewaysOf.delete(gateway.client);
  }

  #drop(fault: string, fields: LogFields): void {
    this.#needs.count('gateway_messages_dropped', { fault });
    this.#exchange.warn(`mqtt/${fault}`, fields, 'A message of a gateway was dropped.');
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#needs.clock.after(sweepEveryMs, () => {
      this.#sweep();
      this.#sweepLater();
    });
  }

  /** A gateway with its own connection stays as long as that; others are removed when they are silent. */
  #sweep(): void {
    const now = this.#needs.clock.monotonicMs();
    for (const [gatewayID, { client, path, isConnected, receivedAt, silentAfterMs }] of this.#known) {
      if (!client.isProven && now - receivedAt > silentAfterMs)
        this.#leave(gatewayID, client, 'The gateway went silent: several reports stayed away.');
      else if (isConnected) this.#exchange.noteSign(gatewayID, path);
    }
  }
}

function publishCommand(gatewayID: string, { client, prefix }: Gateway, name: string, payload: Uint8Array): boolean {
  return client.publish(bridgeTopic({ prefix, gatewayID, part: 'command', name }), payload);
}
