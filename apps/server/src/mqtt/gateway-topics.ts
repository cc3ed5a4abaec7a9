import { type GatewayEventType, gatewayEventTypes } from '@hilltop/contract';
import { organizationOf } from '../event-log/event.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { couldLet } from './filters.ts';

/** The topic of an event of a gateway. */
export function gatewayEventTopic({ applicationID, devEUI, type }: LoggedEvent): string {
  return `organization/${organizationOf(applicationID)}/gateway/${devEUI}/event/${type}`;
}

/** Whether a filter, split at its slashes, matches events of gateways: of an organization, or of any without one. */
export const matchesGatewayEvents = (
  filter: readonly string[],
  organizationID: number | undefined,
  types: readonly GatewayEventType[] = gatewayEventTypes,
): boolean =>
  types.some((type) =>
    couldLet(filter, ['organization', String(organizationID ?? '+'), 'gateway', '+', 'event', type]),
  );
