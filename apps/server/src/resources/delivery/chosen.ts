import { setTimeout as pause } from 'node:timers/promises';
import { findKind, notFound, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { ActiveIntegration } from '../../delivery/active-integration.ts';
import type { Delivery } from '../../delivery/delivery.ts';
import { gatewaysOf } from '../../event-log/event.ts';
import { toFilterID, toID } from '../../identifiers.ts';
import { integrationID } from '../../integrations/store.ts';
import { ownerWord } from '../integration/existing.ts';

/**
 * The owner of an integration as requests name it. Application 0 stands for global integrations, or with an organization
 * for that organization.
 */
export interface ChosenOwner {
  applicationID: string;
  organizationID: string;
}

export interface Chosen extends ChosenOwner {
  kind: string;
}

/** The owner in the delivery: undefined for global integrations, for organizations see `gatewaysOf`. */
export function ownerOf({ applicationID, organizationID }: ChosenOwner): number | undefined {
  const application = toFilterID(applicationID);
  if (toFilterID(organizationID) !== undefined) {
    // The access was decided by the organization.
    if (application !== undefined) throw refusal('NOT_BOTH_OWNERS');
    return gatewaysOf(toID(organizationID, 'organization'));
  }
  if (application !== undefined && application < 0) throw notFound('application', applicationID);
  return application;
}

const patienceMs = 3_000;

/**
 * Waits for the delivery of an integration that exists but has none yet: it was just created, or this instance has just
 * started or taken over. @throws NO_INTEGRATION when it does not exist, and NOT_REACHED when it takes too long
 */
export async function chosenDelivery(
  { database, delivery }: { database: Database; delivery: Delivery },
  chosen: Chosen,
): Promise<ActiveIntegration> {
  const { kind } = chosen;
  const id = ownerOf(chosen);
  for (const until = performance.now() + patienceMs; ; await pause(100)) {
    const active = delivery.find(id, kind);
    if (active) return active;
    if ((await integrationID(database, id, kind)) === undefined) throw noIntegration(id, kind);
    if (performance.now() > until) throw refusal('NOT_REACHED');
    await delivery.refresh();
  }
}

export const noIntegration = (owner: number | undefined, kind: string) =>
  refusal('NO_INTEGRATION', { owner: ownerWord(owner), label: findKind(kind)?.label ?? kind });
