import type { DeliveredEvent } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import { lastOfDevice } from '../event-log/chain.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { columns, isError, toLogged } from '../event-log/row.ts';
import { delivers } from '../integrations/integration.ts';
import type { ActiveIntegration } from './active-integration.ts';
import type { Delivery } from './delivery.ts';

const maxEvents = 50;

/** The recent events of a device and the state of their deliveries, the newest first; without those that may have expired. */
export async function deliveriesOfDevice(
  { database, delivery, now, maxAgeMs }: { database: Database; delivery: Delivery; now: Date; maxAgeMs: number },
  devEUI: string,
): Promise<DeliveredEvent[]> {
  const events = await recentEventsOf(database, devEUI, now.getTime() - maxAgeMs);
  const actives = events.length === 0 ? [] : delivery.listOfApplication(events[0]!.applicationID);
  const retryRows = await retryRowsOf(database, actives, events);
  return events.map((event) => ({
    eventID: event.id,
    eventType: event.type,
    at: event.at.toISOString(),
    deliveries: actives.flatMap((active) => deliveryStatusOf(active, event, retryRows)),
  }));
}

type RetryRows = Awaited<ReturnType<typeof retryRowsOf>>;

function deliveryStatusOf(
  { id, runner, adapter }: ActiveIntegration,
  event: LoggedEvent,
  retryRows: RetryRows,
): DeliveredEvent['deliveries'] {
  const { fromAt } = runner.snapshot().state;
  if (!delivers(adapter, runner.integration(), event.type) || event.at < fromAt) return [];
  const row = retryRows.find(({ integration_id, pos }) => integration_id === id && pos === event.pos);
  const { kind } = runner.integration();
  if (row) return [{ kind, place: row.dead_at ? 'DEAD' : 'WAITING', message: row.message }];
  return [{ kind, place: runner.progressOf(event) === 'passed' ? 'DELIVERED' : 'WAITING', message: '' }];
}

async function retryRowsOf({ query }: Database, actives: readonly ActiveIntegration[], events: readonly LoggedEvent[]) {
  if (actives.length === 0) return [];
  const ids = actives.map(({ id }) => id);
  const positions = events.map(({ pos }) => pos);
  return query
    .selectFrom('delivery_parked')
    .select(['integration_id', 'pos', 'message', 'dead_at'])
    .where('integration_id', 'in', ids)
    .where('pos', 'in', positions)
    .execute();
}

async function recentEventsOf({ query }: Database, devEUI: string, fromMs: number): Promise<LoggedEvent[]> {
  const others = await lastOfDevice(query, { devEUI, most: maxEvents });
  const errors = await query
    .selectFrom('event')
    .select(columns)
    .where('dev_eui', '=', devEUI)
    .where(isError)
    .orderBy('at', 'desc')
    .limit(maxEvents)
    .execute();
  return [...others, ...errors]
    .filter(({ at }) => at >= fromMs)
    .sort((a, b) => b.pos - a.pos)
    .slice(0, maxEvents)
    .map(toLogged);
}
