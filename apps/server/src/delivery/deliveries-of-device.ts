import type { DeliveredEvent } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import { lastOfDevice } from '../event-log/chain.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { columns, isError, toLogged } from '../event-log/row.ts';
import type { Active, Delivery } from './delivery.ts';

const shown = 50;

/** Where the recent events of a device went, the newest first; those that may have expired are left out. */
export async function deliveriesOfDevice(
  { database, delivery, now, maxAgeMs }: { database: Database; delivery: Delivery; now: Date; maxAgeMs: number },
  devEUI: string,
): Promise<DeliveredEvent[]> {
  const events = await recentOf(database, devEUI, now.getTime() - maxAgeMs);
  const actives = events.length === 0 ? [] : delivery.of(events[0]!.applicationID);
  const aside = await retryRowsOf(database, actives, events);
  return events.map((event) => ({
    eventID: event.id,
    eventType: event.type,
    at: event.at.toISOString(),
    deliveries: actives.flatMap((active) => deliveryStatusOf(active, event, aside)),
  }));
}

type RetryRows = Awaited<ReturnType<typeof retryRowsOf>>;

function deliveryStatusOf(
  { id, runner, kind }: Active,
  event: LoggedEvent,
  aside: RetryRows,
): DeliveredEvent['deliveries'] {
  const { fromAt } = runner.now().saved;
  if (!kind.takes.includes(event.type) || event.at < fromAt) return [];
  const row = aside.find((one) => one.integration_id === id && one.pos === event.pos);
  const name = { kind: runner.configured().kind };
  if (row) return [{ ...name, place: row.dead_at ? 'DEAD' : 'WAITING', message: row.message }];
  return [{ ...name, place: runner.placeOf(event) === 'passed' ? 'DELIVERED' : 'WAITING', message: '' }];
}

async function retryRowsOf({ query }: Database, actives: readonly Active[], events: readonly LoggedEvent[]) {
  if (actives.length === 0) return [];
  const [ids, numbers] = [actives.map(({ id }) => id), events.map(({ pos }) => pos)];
  return query
    .selectFrom('delivery_parked')
    .select(['integration_id', 'pos', 'message', 'dead_at'])
    .where('integration_id', 'in', ids)
    .where('pos', 'in', numbers)
    .execute();
}

async function recentOf({ query }: Database, devEUI: string, fromMs: number): Promise<LoggedEvent[]> {
  const others = await lastOfDevice(query, { devEUI, most: shown });
  const errors = await query
    .selectFrom('event')
    .select(columns)
    .where('dev_eui', '=', devEUI)
    .where(isError)
    .orderBy('at', 'desc')
    .limit(shown)
    .execute();
  return [...others, ...errors]
    .filter(({ at }) => at >= fromMs)
    .sort((a, b) => b.pos - a.pos)
    .slice(0, shown)
    .map(toLogged);
}
