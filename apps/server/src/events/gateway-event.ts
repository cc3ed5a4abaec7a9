import type { GatewayEventType } from '@hilltop/contract';
import { gatewaysOf } from '../event-log/event.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';

/** What an event has of its gateway. */
export interface EventGateway {
  readonly id: string;
  readonly name: string;
  readonly organizationID: number;
  readonly tags: Readonly<Record<string, string>>;
}

/** What an event of a type has beside its gateway. */
export interface GatewayEventDetails {
  /** `offlineSince` is null when the gateway was never heard before. */
  online: { readonly since: string; readonly offlineSince: string | null };
  offline: { readonly since: string; readonly reason: string };
  stats: {
    /** Counts since the last report. */
    readonly rxPacketsReceived: number;
    readonly rxPacketsReceivedOK: number;
    readonly txPacketsReceived: number;
    readonly txPacketsEmitted: number;
    readonly rxPacketsPerFrequency: Readonly<Record<string, number>>;
    readonly txPacketsPerFrequency: Readonly<Record<string, number>>;
    /** By the answer of the gateway, such as TOO_LATE. */
    readonly txPacketsPerStatus: Readonly<Record<string, number>>;
    readonly location: { readonly latitude: number; readonly longitude: number; readonly altitude: number } | null;
    readonly metadata: Readonly<Record<string, string>>;
  };
}

/** An event of a gateway; `number` separates its events in one millisecond. */
export function gatewayEvent<Type extends GatewayEventType>(
  type: Type,
  { id, name, organizationID, tags }: EventGateway,
  { at, number, details }: { at: Date; number: number; details: GatewayEventDetails[Type] },
): Omit<LoggedEvent, 'pos'> {
  const common = { organizationID: String(organizationID), gatewayID: id, gatewayName: name, tags };
  return {
    id: `${id}-${at.getTime()}-${number}`,
    type,
    devEUI: id,
    applicationID: gatewaysOf(organizationID),
    at,
    json: JSON.stringify({ ...common, publishedAt: at.toISOString(), ...details }),
  };
}

const noStats: GatewayEventDetails['stats'] = {
  rxPacketsReceived: 0,
  rxPacketsReceivedOK: 0,
  txPacketsReceived: 0,
  txPacketsEmitted: 0,
  rxPacketsPerFrequency: {},
  txPacketsPerFrequency: {},
  txPacketsPerStatus: {},
  location: null,
  metadata: {},
};

/** A sample event, which is named as a test. */
export function sampleGatewayEvent(type: GatewayEventType, organizationID: number, at: Date): LoggedEvent {
  const gateway = { id: '0000000000000000', name: 'test-gateway', organizationID, tags: {} };
  const samples: GatewayEventDetails = {
    online: { since: at.toISOString(), offlineSince: at.toISOString() },
    offline: { since: at.toISOString(), reason: 'This is a test.' },
    stats: noStats,
  };
  return { ...gatewayEvent(type, gateway, { at, number: 0, details: samples[type] }), pos: 0 };
}
