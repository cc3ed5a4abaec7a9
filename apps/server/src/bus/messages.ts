import { fromJson } from '@hilltop/protobuf';
import { type DeviceEvent, eventMessages } from '../events/event.ts';
import type { BusTopic, BusTopics } from './bus.ts';
import { packFrame, unpackFrame } from './frames.ts';

/** How what is told and asked leaves the process: JSON, in which bytes and dates are objects of one member. */
export function writeMessage(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, written) {
    const given = this[key];
    if (given instanceof Date) return { $date: given.getTime() };
    if (given instanceof Uint8Array) return { $bytes: Buffer.from(given).toString('base64') };
    return written as unknown;
  });
}

export function readMessage(text: string): unknown {
  return JSON.parse(text, (_key, value: { $date?: number; $bytes?: string } | null) => {
    if (typeof value?.$date === 'number') return new Date(value.$date);
    if (typeof value?.$bytes === 'string') return new Uint8Array(Buffer.from(value.$bytes, 'base64'));
    return value;
  });
}

/** How the payload of a topic leaves the process, and what is made of it there, for those that are no plain values. */
type Form<T extends BusTopic> = {
  told: (payload: BusTopics[T]) => unknown;
  payload: (told: never) => BusTopics[T];
};

const forms: { readonly [T in BusTopic]?: Form<T> } = {
  'device-event': { told: toldEvent, payload: eventOf },
  frame: { told: packFrame, payload: unpackFrame },
};

export function toldOf<T extends BusTopic>(topic: T, payload: BusTopics[T]): unknown {
  const form: Form<T> | undefined = forms[topic];
  return form ? form.told(payload) : payload;
}

export function payloadOf<T extends BusTopic>(topic: T, told: unknown): BusTopics[T] {
  const form: Form<T> | undefined = forms[topic];
  return form ? form.payload(told as never) : (told as BusTopics[T]);
}

/** An event is told as its JSON, and becomes a message again for whoever asks for that. */
function toldEvent({ payload: _payload, json, ...event }: DeviceEvent): object {
  return { ...event, text: json() };
}

function eventOf({ text, ...event }: Omit<DeviceEvent, 'payload' | 'json'> & { text: string }): DeviceEvent {
  const read = {
    ...event,
    get payload() {
      return fromJson(eventMessages[event.type], JSON.parse(text));
    },
    json: () => text,
  };
  return read as unknown as DeviceEvent;
}
