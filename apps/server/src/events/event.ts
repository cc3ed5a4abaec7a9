import { create, formatTimestamp, type InitOf, integration, type Message, toJsonText } from '@hilltop/protobuf';
import type { DeviceContext } from './device-context.ts';

/** The message of each type of event, as streams and integrations get it. */
const messages = {
  up: integration.UplinkEvent,
  join: integration.JoinEvent,
  ack: integration.AckEvent,
  txack: integration.TxAckEvent,
  status: integration.StatusEvent,
  error: integration.ErrorEvent,
  location: integration.LocationEvent,
} as const satisfies Record<string, Message>;

export type EventType = keyof typeof messages;

/** An event that was decided on and is not written yet. */
export type PendingEvent = {
  type: EventType;
  applicationID: number;
  devEUI: string;
  publishedAt: string;
  /** Protobuf JSON of the message. */
  payloadJSON: string;
};

/**
 * Something else that must happen with every event, in the transaction that stores it: where integrations put their
 * deliveries on disk.
 */
export type Reaction = (event: PendingEvent) => Promise<void>;

type OfDevice = 'applicationID' | 'applicationName' | 'deviceName' | 'devEUI' | 'publishedAt';

/** Builds an event of `device`; `tags` are the device's own unless given. */
export function buildEvent<T extends EventType>(
  type: T,
  device: DeviceContext,
  at: Date,
  details: Omit<InitOf<(typeof messages)[T]>, OfDevice>,
): PendingEvent {
  const value = create(messages[type] as Message, {
    applicationID: String(device.applicationID),
    applicationName: device.applicationName,
    deviceName: device.name,
    devEUI: Uint8Array.fromHex(device.devEUI),
    tags: device.tags,
    publishedAt: at,
    ...details,
  });
  return {
    type,
    applicationID: device.applicationID,
    devEUI: device.devEUI,
    publishedAt: formatTimestamp(at),
    payloadJSON: toJsonText(messages[type] as Message, value),
  };
}
