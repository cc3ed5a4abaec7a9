import { isOfDevice, type LoggedEvent } from '../event-log/event-log.ts';
import type { TopicTemplate } from '../integrations/topic-template.ts';
import { setLatest } from '../latest-n.ts';
import { gatewayEventTopic } from './gateway-topics.ts';
import { type PublishPacket, publishPacket } from './publish-packet.ts';

/** An event in the form for clients. */
export interface EventMessage {
  /** The topic, split at its slashes. */
  readonly levels: readonly string[];
  /** Created for the first subscriber; a promise only then. */
  packet: () => PublishPacket | Promise<PublishPacket>;
}

/** The topic of an event: of a device by the template, of a gateway always the same. */
export function topicOf(template: TopicTemplate, event: LoggedEvent): string {
  if (!isOfDevice(event)) return gatewayEventTopic(event);
  const { applicationID, devEUI, type } = event;
  return template.topic({ ApplicationID: String(applicationID), DevEUI: devEUI, EventType: type });
}

export type MarshalMessage = (event: LoggedEvent) => Promise<string | Uint8Array>;

/**
 * Clients read an event within milliseconds of each other. Messages of older events would take three times the memory of
 * the events.
 */
const mostKnown = 1_000;

/** Converts each new event to a message once, however many clients receive it. */
export function createMessages(template: TopicTemplate, marshal: MarshalMessage): (event: LoggedEvent) => EventMessage {
  const known = new Map<LoggedEvent, EventMessage>();
  return (event) => {
    const found = known.get(event);
    if (found) return found;
    const message = messageOf(event);
    setLatest(known, mostKnown, event, message);
    return message;
  };

  function messageOf(event: LoggedEvent): EventMessage {
    const topic = topicOf(template, event);
    let packet: PublishPacket | Promise<PublishPacket> | undefined;
    const make = async () => {
      try {
        packet = publishPacket(topic, Buffer.from((await marshal(event)) as Uint8Array));
        return packet;
      } catch (error) {
        packet = undefined;
        throw error;
      }
    };
    return { levels: topic.split('/'), packet: () => (packet ??= make()) };
  }
}
