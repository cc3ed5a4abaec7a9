import type { Duplex } from 'node:stream';
import { readBridgeTopic } from '@hilltop/gateway-protocols';
import type { BridgeClient, MqttGateways } from '@hilltop/network-server';
import { couldLet, isFilter, lets } from './filters.ts';
import { partsOf, publishPacket, sizeOf } from './publish-packet.ts';
import { Refusal } from './reasons.ts';
import type { GatewayRights, Proof } from './rights.ts';
import { mostSubscriptions, type Receiver, type SignedIn } from './signed-in.ts';
import { createSocketWriter } from './socket-writer.ts';

/** Processes the messages of gateways, and sends messages to them. */
export type Bridge = Pick<MqttGateways, 'take' | 'gone'>;

/** With more messages being processed, the server stops reading from the gateway. */
const mostUnderway = 256;

/** A gateway that has signed in. It publishes below its own id, and receives its own commands. */
export function createGatewayConnection(
  { bridge, count }: { bridge: Bridge; count: (name: string, labels: Record<string, string>) => void },
  { proof, rights, receiver }: { proof: Proof; rights: GatewayRights; receiver: Receiver },
  stream: Duplex,
): SignedIn {
  const { gatewayID } = rights;
  const filters = new Map<string, string[]>();
  const socket = createSocketWriter(stream);
  let underway = 0;

  const client: BridgeClient = {
    isProven: true,
    publish: (topic, payload) => {
      const levels = topic.split('/');
      const isHeard = filters.values().some((filter) => lets(filter, levels));
      if (!isHeard || !stream.writable) return false;
      const packet = publishPacket(topic, Buffer.from(payload));
      const problem = socket.isFull()
        ? 'slow'
        : sizeOf(packet, receiver, 0) > receiver.mostPacketBytes && 'packet_size';
      if (problem) {
        count('mqtt_dropped', { reason: problem });
        return false;
      }
      count('mqtt_messages', { direction: 'out' });
      // Sent with quality of service 0 whatever was subscribed to, because a late command is useless.
      socket.write(partsOf(packet, receiver));
      return true;
    },
  };

  return {
    proof,
    rights,
    subscribe: async (filter, qos) => {
      const levels = filter.split('/');
      if (!isFilter(filter)) return 'filter';
      if (!ownCommands(gatewayID).some((topic) => couldLet(levels, topic))) return 'not_authorized';
      if (!filters.has(filter) && filters.size >= mostSubscriptions) return 'too_many';
      filters.set(filter, levels);
      return qos > 0 ? 1 : 0;
    },
    unsubscribe: (filter) => filters.delete(filter),
    publish: async ({ topic, payload, qos }) => {
      const found = readBridgeTopic(topic);
      if (found?.gatewayID !== gatewayID || found.part === 'command') {
        count('mqtt_refused', { reason: 'publish' });
        throw new Refusal('not_authorized');
      }
      count('mqtt_messages', { direction: 'in' });
      const taken = bridge.take(client, { topic, payload, isRetained: false });
      if (qos > 0) {
        await taken;
        return undefined;
      }
      // No acknowledgement waits for it; the bridge counts messages that it cannot process.
      underway += 1;
      const done = taken.catch(() => undefined).finally(() => (underway -= 1));
      if (underway >= mostUnderway) await done;
      return undefined;
    },
    acknowledged: () => undefined,
    hangsBack: async () => undefined,
    end: () => bridge.gone(client),
  };
}

/** The command topics of the gateway, with `+` for their variables. */
function ownCommands(gatewayID: string): string[][] {
  const own = ['gateway', gatewayID, 'command', '+'];
  return [own, ['+', ...own]];
}
