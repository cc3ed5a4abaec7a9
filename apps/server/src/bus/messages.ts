import { fromJson } from '@hilltop/protobuf';
import { type DeviceEvent, eventMessages } from '../event-log/event.ts';
import type { BusTopic, BusTopics } from './bus.ts';
import { packFrame, unpackFrame } from './frames.ts';

/** Instances ignore messages with another version of the envelope. */
export const envelopeVersion = 1;

/** Messages between instances are JSON, in which bytes and dates are objects of one member. */
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

/** How to serialize a payload that is not plain JSON, and how to restore it. */
interface PayloadForm<T extends BusTopic> {
  toWire: (payload: BusTopics[T]) => unknown;
  fromWire: (wire: never) => BusTopics[T];
}

const forms: { readonly [T in BusTopic]?: PayloadForm<T> } = {
  'device-event': { toWire: packEvent, fromWire: unpackEvent },
  frame: { toWire: packFrame, fromWire: unpackFrame },
};

export function wirePayloadOf<T extends BusTopic>(topic: T, payload: BusTopics[T]): unknown {
  const form: PayloadForm<T> | undefined = forms[topic];
  return form ? form.toWire(payload) : payload;
}

export function payloadOf<T extends BusTopic>(topic: T, wire: unknown): BusTopics[T] {
  const form: PayloadForm<T> | undefined = forms[topic];
  return form ? form.fromWire(wire as never) : (wire as BusTopics[T]);
}

/** An event is sent as its JSON and parsed when a subscriber reads the payload. */
function packEvent({ payload: _payload, json, note: _note, ...event }: DeviceEvent): object {
  return { ...event, text: json() };
}

function unpackEvent({ text, ...event }: Omit<DeviceEvent, 'payload' | 'json'> & { text: string }): DeviceEvent {
  const unpacked = {
    ...event,
    get payload() {
      return fromJson(eventMessages[event.type], JSON.parse(text));
    },
    json: () => text,
  };
  return unpacked as unknown as DeviceEvent;
}
