import { type IntegrationKindName, integrationKinds, refusal } from '@hilltop/contract';
import type { Active, Delivery } from '../../delivery/delivery.ts';
import { toFilterID } from '../../identifiers.ts';

/** An integration as requests name it; application 0 is the installation. */
export interface Chosen {
  applicationID: string;
  kind: string;
}

/** @throws when it is not delivered to */
export function chosenDelivery(delivery: Delivery, { applicationID, kind }: Chosen): Active {
  const active = delivery.find(toFilterID(applicationID), kind);
  if (!active) throw noIntegration(kind);
  return active;
}

export const noIntegration = (kind: string) =>
  refusal('NO_INTEGRATION', { label: integrationKinds[kind as IntegrationKindName]?.label ?? kind });
