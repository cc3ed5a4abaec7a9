import { integration, type Message, type MessageOf } from '@hilltop/protobuf';

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
 * wants: streams and the history JSON, integrations whatever they are configured for.
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

/** What the id of an event is made of: `<devEUI>-<ms>-<seq>`. */
export function partsOfEventID(id: string): { devEUI: string; at: number; seq: number } {
  const [devEUI = '', at, seq] = id.split('-');
  return { devEUI, at: Number(at), seq: Number(seq) };
}
