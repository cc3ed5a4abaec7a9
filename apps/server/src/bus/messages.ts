import { fromJson } from '@hilltop/protobuf';
import { type DeviceEvent, eventMessages } from '../events/event.ts';
import type { BusTopic, BusTopics } from './bus.ts';

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

/** An event is told as its JSON, and becomes a message again for whoever asks for that. */
export function toldOf<T extends BusTopic>(topic: T, payload: BusTopics[T]): unknown {
  if (topic !== 'device-event') return payload;
  const { payload: _payload, json, ...event } = payload as DeviceEvent;
  return { ...event, text: json() };
}

export function payloadOf(topic: BusTopic, told: unknown): BusTopics[BusTopic] {
  if (topic !== 'device-event') return told as BusTopics[BusTopic];
  const { text, ...event } = told as Omit<DeviceEvent, 'payload' | 'json'> & { text: string };
  const read = {
    ...event,
    get payload() {
      return fromJson(eventMessages[event.type], JSON.parse(text));
    },
    json: () => text,
  };
  return read as unknown as DeviceEvent;
}
