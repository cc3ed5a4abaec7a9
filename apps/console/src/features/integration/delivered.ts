import { useIDs } from '../../components/link/use-ids.ts';
import { kindAt } from './kinds.ts';

/** The owner of an integration as the calls of deliveries name it. */
export interface DeliveryOwner {
  /** 0 with an organization. */
  readonly applicationID: string;
  /** The integration gets the events of the gateways of this organization. */
  readonly organizationID?: string;
}

export interface Delivered extends DeliveryOwner {
  readonly kind: string;
}

/** The kind of integration for the events of gateways. */
export const gatewayEventsKind = 'GATEWAY_HTTP';

/** What the events of an integration are about, in labels and sentences. */
export const subjectOf = (kind: string) =>
  kind === gatewayEventsKind
    ? { record: 'Gateway', identifier: 'Gateway ID', records: 'gateways' }
    : { record: 'Device', identifier: 'Device EUI', records: 'devices' };

export const ownerOfGateways = (organizationID: string): DeliveryOwner => ({ applicationID: '0', organizationID });

/** The integration in the address: of an application, or else of the organization. */
export function useDelivered(): Delivered {
  const { organizationID, applicationID, kind: segment } = useIDs();
  const kind = kindAt(segment)?.kind;
  return kind ? { applicationID, kind } : { ...ownerOfGateways(organizationID), kind: gatewayEventsKind };
}
