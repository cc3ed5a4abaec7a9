import type { EventNote, GatewayEventType, OwnKind } from '@hilltop/contract';
import { integration, type Message, type MessageOf } from '@hilltop/protobuf';

/** The message of each type of event for streams and integrations. */
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

/** The note of an event as it is stored. */
export interface StoredNote extends EventNote {
  /** The PHYPayload of the frame in base64, as the frame log shows it; the last member. */
  readonly phy?: string;
}

export type EventType = keyof typeof eventMessages;

/**
 * An event of a device inside the process. Every reader converts `payload` to its format: streams and the history to
 * JSON, integrations to their configured format.
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
    /** Protobuf JSON of the payload, built once when it is first requested. */
    readonly json: () => string;
    /** What only the history shows. */
    readonly note?: StoredNote | undefined;
  };
}[T];

/**
 * What is appended to the log: an event of a device, one of a kind that only its history shows, or one of a gateway.
 * The second belongs to no application, so that no reader gets it. Neither it nor the third is linked to another event.
 */
export type LoggableEvent = Pick<DeviceEvent, 'id' | 'devEUI' | 'applicationID' | 'json' | 'note'> & {
  readonly type: EventType | OwnKind | GatewayEventType;
};

/** The application of events that only the history shows. */
export const noApplication = 0;

/**
 * Events of gateways belong to an organization. The log and all that reads it have its negative id where other events
 * have their application, and the id of the gateway where they have the DevEUI.
 */
export const gatewaysOf = (organizationID: number): number => -organizationID;

/** The organization of such a negative id; undefined for the id of an application. */
export function organizationOf(applicationID: number | undefined): number | undefined {
  return applicationID !== undefined && applicationID < 0 ? -applicationID : undefined;
}

/** The parts of an event id: `<devEUI>-<ms>-<seq>`. */
export function partsOfEventID(id: string): { devEUI: string; at: number; seq: number } {
  const [devEUI = '', at, seq] = id.split('-');
  return { devEUI, at: Number(at), seq: Number(seq) };
}
