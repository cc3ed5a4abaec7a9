import type { operations, RequestOf } from '@hilltop/contract';
import type { Bus } from '../../bus/bus.ts';
import type { Database } from '../../database/database.ts';
import { watchAttempts } from '../../delivery/attempt-rows.ts';
import { integrationID, isConfigured } from '../../integrations/store.ts';
import { noIntegration, ownerOf } from './chosen.ts';

/**
 * Pushes the stored attempts of an integration, then each new one, until the reader disconnects or the integration is
 * removed.
 */
export async function watchDeliveries(
  { database, bus }: { database: Database; bus: Bus },
  request: RequestOf<typeof operations.delivery.streamLog>,
  push: (line: object) => void,
  signal: AbortSignal,
): Promise<void> {
  const owner = ownerOf(request);
  const id = await integrationID(database, owner, request.kind);
  if (id === undefined) throw noIntegration(owner, request.kind);
  const ended = Promise.withResolvers<void>();
  const endIfRemoved = async () => {
    if (!(await isConfigured(database, id))) ended.resolve();
  };
  const stops: (() => void)[] = [];
  try {
    stops.push(await bus.subscribe('integration-changed', '', () => void endIfRemoved().catch(ended.reject)));
    stops.push(await watchAttempts({ database, bus }, id, request, push));
    if (signal.aborted) return;
    signal.addEventListener('abort', () => ended.resolve(), { once: true });
    await ended.promise;
  } finally {
    for (const stop of stops) stop();
  }
}
