import { setTimeout as pause } from 'node:timers/promises';
import { type IntegrationKindName, integrationKinds, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { ActiveIntegration } from '../../delivery/active-integration.ts';
import type { Delivery } from '../../delivery/delivery.ts';
import { toFilterID } from '../../identifiers.ts';
import { integrationID } from '../../integrations/store.ts';

/** An integration as requests name it. Application 0 stands for global integrations. */
export interface Chosen {
  applicationID: string;
  kind: string;
}

const patienceMs = 3_000;

/**
 * Waits for the delivery of an integration that exists but has none yet: it was just created, or this instance has just
 * started or taken over. @throws NO_INTEGRATION when it does not exist, and NOT_REACHED when it takes too long
 */
export async function chosenDelivery(
  { database, delivery }: { database: Database; delivery: Delivery },
  { applicationID, kind }: Chosen,
): Promise<ActiveIntegration> {
  const id = toFilterID(applicationID);
  for (const until = performance.now() + patienceMs; ; await pause(100)) {
    const active = delivery.find(id, kind);
    if (active) return active;
    if ((await integrationID(database, id, kind)) === undefined) throw noIntegration(kind);
    if (performance.now() > until) throw refusal('NOT_REACHED');
    await delivery.refresh();
  }
}

export const noIntegration = (kind: string) =>
  refusal('NO_INTEGRATION', { label: integrationKinds[kind as IntegrationKindName]?.label ?? kind });
