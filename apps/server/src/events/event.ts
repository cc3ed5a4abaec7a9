import { bytesOf, create, formatTimestamp, type InitOf, type Message, toJsonText } from '@hilltop/protobuf';
import { type DeviceEvent, type EventType, eventMessages } from '../event-log/event.ts';
import type { DeviceContext } from './device-context.ts';

export { type DeviceEvent, type EventType, eventMessages } from '../event-log/event.ts';

/** An event that was decided on and is not written yet. */
export type PendingEvent = DeviceEvent extends infer One ? (One extends unknown ? Omit<One, 'id'> : never) : never;

type OfDevice = 'applicationID' | 'applicationName' | 'deviceName' | 'devEUI' | 'publishedAt';

/** Builds an event of `device`; `tags` are the device's own unless given. */
export function buildEvent<T extends EventType>(
  type: T,
  device: DeviceContext,
  at: Date,
  details: Omit<InitOf<(typeof eventMessages)[T]>, OfDevice>,
): PendingEvent {
  const message: Message = eventMessages[type];
  const payload = create(message, {
    applicationID: String(device.applicationID),
    applicationName: device.applicationName,
    deviceName: device.name,
    devEUI: bytesOf(device.devEUI),
    tags: device.tags,
    publishedAt: at,
    ...details,
  });
  let text: string | undefined;
  const json = () => (text ??= toJsonText(message, payload));
  const { devEUI, applicationID } = device;
  return { type, devEUI, applicationID, at, payload, json } as unknown as PendingEvent;
}

/** The event as the event stream of its device shows it. */
export function streamItemOf({ id, type, devEUI, at, json }: DeviceEvent) {
  return { type, payloadJSON: json(), publishedAt: formatTimestamp(at), streamID: id.slice(devEUI.length + 1) };
}
