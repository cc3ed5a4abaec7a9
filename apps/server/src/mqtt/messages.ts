import type { LoggedEvent } from '../event-log/event-log.ts';
import type { TopicTemplate } from './topics.ts';

/** An event as clients get it. */
export interface EventMessage {
  topic: string;
  /** The topic, split at its slashes. */
  levels: readonly string[];
  /** Made when somebody is there who wants it. */
  payload: () => Promise<Buffer>;
}

export type Marshal = (event: LoggedEvent) => Promise<string | Uint8Array>;

/** Each event becomes a message once, however many clients hear it. */
export function createMessages(template: TopicTemplate, marshal: Marshal): (event: LoggedEvent) => EventMessage {
  const made = new WeakMap<LoggedEvent, EventMessage>();
  return (event) => {
    const known = made.get(event);
    if (known) return known;
    const { applicationID, devEUI, type } = event;
    const topic = template.topic({ ApplicationID: String(applicationID), DevEUI: devEUI, EventType: type });
    let payload: Promise<Buffer> | undefined;
    const make = async () => Buffer.from((await marshal(event)) as Uint8Array);
    const message = { topic, levels: topic.split('/'), payload: () => (payload ??= make()) };
    made.set(event, message);
    return message;
  };
}
