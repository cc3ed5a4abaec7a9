import { findKind } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Bus } from '../../bus/bus.ts';
import type { Database } from '../../database/database.ts';
import { storeSuspended } from '../../delivery/state-rows.ts';
import type { EventLog } from '../../event-log/event-log.ts';
import { insertIntegration, readIntegrations } from '../../integrations/store.ts';

export interface CopyDependencies {
  database: Database;
  bus: Bus;
  clock: Clock;
  eventLog: Pick<EventLog, 'positionAt'>;
}

const revision = 1;
const reason = 'A copy: its secrets were not copied. Check its settings, enter the secrets and save, or resume it.';

/**
 * Gives a new application the integrations of another one, without secrets and suspended: two applications must not send
 * to one endpoint by accident. Call it in the transaction that creates the application.
 */
export async function copyIntegrations(
  { database, bus, clock, eventLog }: CopyDependencies,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const now = clock.now();
  const position = await eventLog.positionAt(now);
  for (const { kind, config } of await readIntegrations(database, from)) {
    // A service that has ended takes no new integrations.
    if (findKind(kind)?.ended !== undefined) continue;
    const row = { kind, config, secrets: new Uint8Array(), application_id: to, created_at: now, updated_at: now };
    const id = await insertIntegration(database, { ...row, revision });
    await storeSuspended(database, { id, revision }, { position, reason, now });
  }
  database.afterCommit(() => bus.publish('integration-changed', '', { applicationID: to }));
}
