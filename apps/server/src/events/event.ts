import {
  bytesOf,
  create,
  formatTimestamp,
  type InitOf,
  integration,
  type Message,
  type MessageOf,
  toJsonText,
} from '@hilltop/protobuf';
import type { DeviceContext } from './device-context.ts';

/** The message of each type of event, as streams and integrations get it. */
export const eventMessages = {
  up: integration.UplinkEvent,
  join: integration.JoinEvent,
  ack: integration.AckEvent,
  txack: integration.TxAckEvent,
  status: integration.StatusEvent,
  error: integration.ErrorEvent,
  location: integration.LocationEvent,
  integration: integration.IntegrationEvent,
} as const satisfies Record<string, Message>;

export type EventType = keyof typeof eventMessages;

/**
 * An event of a device. Until it leaves the process it is this value, and every reader makes of `payload` what its format
 * wants: streams and the history JSON, integrations whatever they are set to.
 */
export type DeviceEvent<T extends EventType = EventType> = {
  [Type in T]: {
    /** `<devEUI>-<streamID>`, unique for ever. */
    readonly id: string;
    readonly type: Type;
    readonly devEUI: string;
    readonly applicationID: number;
    readonly at: Date;
    readonly payload: MessageOf<(typeof eventMessages)[Type]>;
    /** Protobuf JSON of the payload: made when it is first asked for, and once. */
    readonly json: () => string;
  };
}[T];

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

/** What the id of an event is made of: `<devEUI>-<ms>-<seq>`. */
export function parseEventID(id: string): { devEUI: string; at: number; seq: number } {
  const [devEUI = '', at, seq] = id.split('-');
  return { devEUI, at: Number(at), seq: Number(seq) };
}

/** The event as the event stream of its device shows it. */
export function streamItemOf({ id, type, devEUI, at, json }: DeviceEvent) {
  return { type, payloadJSON: json(), publishedAt: formatTimestamp(at), streamID: id.slice(devEUI.length + 1) };
}
