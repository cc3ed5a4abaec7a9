/**
 * The `payloadJSON` of events: JSON of these shapes, derived from the messages of integrations. Identifiers are base64.
 */
import type { integration, JsonOf } from '@hilltop/protobuf';

/** The payload of each event type. */
export interface EventPayloads {
  readonly up: JsonOf<typeof integration.UplinkEvent>;
  readonly join: JsonOf<typeof integration.JoinEvent>;
  readonly status: JsonOf<typeof integration.StatusEvent>;
  readonly ack: JsonOf<typeof integration.AckEvent>;
  readonly txack: JsonOf<typeof integration.TxAckEvent>;
  readonly error: JsonOf<typeof integration.ErrorEvent>;
  readonly location: JsonOf<typeof integration.LocationEvent>;
  readonly integration: JsonOf<typeof integration.IntegrationEvent>;
}

export type EventType = keyof EventPayloads;
