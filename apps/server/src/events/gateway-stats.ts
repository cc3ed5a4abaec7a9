import { type as, RpcError } from '@hilltop/protobuf';
import { sql } from 'kysely';
import type { Counters } from '../statistics/counters.ts';
import type { ServerEffect } from './effect.ts';
import type { EventDependencies } from './event-dependencies.ts';

/** A gateway reported: it is alive, perhaps where it is, and what it received and sent since the last report. */
export async function onGatewayStats(
  { database, statistics, clock }: EventDependencies,
  request: as.HandleGatewayStatsRequest,
): Promise<ServerEffect> {
  const id = request.gatewayId.toHex();
  const known = await database.query.selectFrom('gateway').select('id').where('id', '=', id).executeTakeFirst();
  if (!known) throw new RpcError('NotFound', `There is no gateway ${id}.`);
  const now = clock.now();
  const { location, metadata } = request;
  return {
    about: `statistics of gateway ${id}`,
    write: async () => {
      await database.query
        .updateTable('gateway')
        .set({
          first_seen_at: sql<Date>`coalesce(first_seen_at, ${now})`,
          last_seen_at: now,
          metadata,
          ...(location && {
            latitude: location.latitude,
            longitude: location.longitude,
            altitude: location.altitude,
            location_source: location.source,
            location_accuracy: location.accuracy,
          }),
        })
        .where('id', '=', id)
        .execute();
      await statistics.record(`gateway:${id}`, now.getTime(), countersOf(request));
    },
  };
}

function countersOf(request: as.HandleGatewayStatsRequest): Counters {
  const named = (prefix: string, counts: Record<string, number>) =>
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${prefix}${name}`, count]));
  return {
    rx_count: request.rxPacketsReceived,
    rx_ok_count: request.rxPacketsReceivedOk,
    tx_count: request.txPacketsReceived,
    tx_ok_count: request.txPacketsEmitted,
    ...named('tx_freq_', request.txPacketsPerFrequency),
    ...named('rx_freq_', request.rxPacketsPerFrequency),
    ...named('tx_dr_', request.txPacketsPerDr),
    ...named('rx_dr_', request.rxPacketsPerDr),
    ...named('tx_status_', request.txPacketsPerStatus),
  };
}
