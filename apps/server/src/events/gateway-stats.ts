import { type as, RpcError } from '@hilltop/protobuf';
import { sql } from 'kysely';
import type { Counters } from '../statistics/counters.ts';
import type { ServerEffect } from './effect.ts';
import type { EventDependencies } from './event-dependencies.ts';
import type { GatewayEventDetails } from './gateway-event.ts';

/** The statistics of a gateway since its last report, and sometimes its location. Shows that the gateway is alive. */
export async function onGatewayStats(
  { database, statistics, clock, gatewayEvents }: EventDependencies,
  request: as.HandleGatewayStatsRequest,
): Promise<ServerEffect> {
  const id = request.gatewayId.toHex();
  const gateway = await gatewayEvents.find(id);
  if (!gateway) throw new RpcError('NotFound', `There is no gateway ${id}.`);
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
      if (gateway.isStatsWanted) await gatewayEvents.record('stats', gateway, detailsOf(request));
    },
  };
}

/** The statistics in an event: counts since the last report. */
function detailsOf({ location, metadata, ...request }: as.HandleGatewayStatsRequest): GatewayEventDetails['stats'] {
  return {
    rxPacketsReceived: request.rxPacketsReceived,
    rxPacketsReceivedOK: request.rxPacketsReceivedOk,
    txPacketsReceived: request.txPacketsReceived,
    txPacketsEmitted: request.txPacketsEmitted,
    rxPacketsPerFrequency: request.rxPacketsPerFrequency,
    txPacketsPerFrequency: request.txPacketsPerFrequency,
    txPacketsPerStatus: request.txPacketsPerStatus,
    location: location
      ? { latitude: location.latitude, longitude: location.longitude, altitude: location.altitude }
      : null,
    metadata,
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
