import {
  atField,
  type GatewayAvailability,
  type GatewayOutage,
  invalidFields,
  mostAvailabilityHourDays,
  type Operations,
  outagesKeptDays,
  refusal,
} from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { ServerRuns } from '../../database/server-runs.ts';
import { type AvailabilityPart, availabilityOf, onlineShareOf, type Span } from '../../gateway-outages/availability.ts';
import { onlineWindowMs } from '../../gateway-outages/rule.ts';
import type { Handlers } from '../../http/call.ts';
import { isEmbedded } from '../../network/embedded-address.ts';
import { DependentDeviceCache, type DependentsDependencies } from './dependents.ts';
import { loadGateway } from './store.ts';

interface GatewayAvailabilityDependencies extends DependentsDependencies {
  serverRuns: Pick<ServerRuns, 'stops'>;
}

const dayMs = 86_400_000;
const mostOutages = 500;
/** A restart is no reason to look at a gateway. */
const leastListedStopMs = 90_000;

export function gatewayAvailabilityRoutes(
  needs: GatewayAvailabilityDependencies,
): Handlers<Operations['gatewayAvailability']> {
  const dependents = new DependentDeviceCache(needs);
  return {
    get: async ({ gatewayID, ...period }) => availabilityOfGateway(needs, gatewayID, periodOf(period)),
    listDependents: async ({ gatewayID, limit, offset }, { principal }) => {
      const { result, ...found } = await dependents.of(gatewayID, principal);
      return { ...found, totalCount: String(result.length), result: result.slice(offset, offset + limit) };
    },
  };
}

function periodOf({ start, end }: { start: string | null; end: string | null }): Span {
  const [from, to] = [Date.parse(start ?? ''), Date.parse(end ?? '')];
  if (Number.isNaN(from)) throw atField('start', refusal('MISSING', { what: 'start of the period' }));
  if (Number.isNaN(to)) throw atField('end', refusal('MISSING', { what: 'end of the period' }));
  if (to - from > (outagesKeptDays + 1) * dayMs)
    throw invalidFields([{ field: 'end', description: `Must be at most ${outagesKeptDays} days after the start.` }]);
  return { from, to };
}

async function availabilityOfGateway(
  { database, clock, serverRuns }: GatewayAvailabilityDependencies,
  gatewayID: string,
  { from, to }: Span,
): Promise<GatewayAvailability> {
  const row = await loadGateway(database, gatewayID);
  const now = clock.now().getTime();
  const knownFrom = row.outages_from?.getTime() ?? null;
  const outages = await readOutages(database, gatewayID, { from, to });
  const stops = serverRuns.stops.filter((stop) => stop.to > Math.max(from, knownFrom ?? to) && stop.from < to);
  const request = {
    ...{ from, to, knownFrom, now, stops },
    outages: outages.map(({ started_at, ended_at }) => ({
      from: started_at.getTime(),
      to: ended_at?.getTime() ?? Number.POSITIVE_INFINITY,
    })),
  };
  const days = availabilityOf(request, 'DAY');
  const hours = to - from <= mostAvailabilityHourDays * dayMs ? availabilityOf(request, 'HOUR') : [];
  const listed = [
    ...outages.map(({ started_at, ended_at, reason }) => outageOf(started_at, ended_at, reason)),
    ...stops
      .filter((stop) => stop.to - stop.from >= leastListedStopMs)
      .map((stop) => outageOf(new Date(stop.from), new Date(stop.to), 'server stopped')),
  ].sort((one, other) => (one.start! < other.start! ? 1 : -1));
  const onlineShare = onlineShareOf(days);
  return {
    ...(await stateOf(database, row)),
    knownFrom: row.outages_from?.toISOString() ?? null,
    ...(onlineShare !== undefined && { onlineShare }),
    days: days.map((day, index) => {
      const end = days[index + 1]?.start ?? Number.POSITIVE_INFINITY;
      return {
        ...inSeconds(day),
        hours: hours.filter(({ start }) => start >= day.start && start < end).map(inSeconds),
      };
    }),
    outageCount: listed.length,
    outages: listed.slice(0, mostOutages),
  };
}

/** The rule of the gateway, and whether it is online by it. */
async function stateOf({ query }: Database, row: Awaited<ReturnType<typeof loadGateway>>) {
  const server = query.selectFrom('network_server').select('server').where('id', '=', row.network_server_id);
  const profile = query
    .selectFrom('gateway_profile')
    .select('stats_interval_ms')
    .where('id', '=', row.gateway_profile_id ?? '');
  const open = query.selectFrom('gateway_outage').select('started_at').where('gateway_id', '=', row.id);
  const hasOnlyStatistics = !isEmbedded(await server.executeTakeFirstOrThrow());
  const windowMs = onlineWindowMs({
    source: hasOnlyStatistics ? 'remote' : row.heard_link,
    linkEnd: null,
    statsIntervalMs: (await profile.executeTakeFirst())?.stats_interval_ms ?? null,
  });
  const isOffline = (await open.where('ended_at', 'is', null).executeTakeFirst()) !== undefined;
  return {
    state:
      row.outages_from === null && !isOffline
        ? ('NEVER' as const)
        : isOffline
          ? ('OFFLINE' as const)
          : ('ONLINE' as const),
    heardAt: row.heard_at?.toISOString() ?? null,
    onlineWindow: windowMs / 1000,
    hasOnlyStatistics,
  };
}

/** Those that overlap a period, in the order of time. */
function readOutages({ query }: Database, gatewayID: string, { from, to }: Span) {
  return query
    .selectFrom('gateway_outage')
    .select(['started_at', 'ended_at', 'reason'])
    .where('gateway_id', '=', gatewayID)
    .where('started_at', '<', new Date(to))
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', new Date(from))]))
    .orderBy('started_at')
    .execute();
}

function outageOf(start: Date, end: Date | null, reason: string): GatewayOutage {
  return {
    start: start.toISOString(),
    end: end?.toISOString() ?? null,
    reason,
    isServerStop: reason === 'server stopped',
  };
}

function inSeconds({ start, online, offline, stopped }: AvailabilityPart) {
  const seconds = (ms: number) => Math.round(ms / 1000);
  return {
    start: new Date(start).toISOString(),
    online: seconds(online),
    offline: seconds(offline),
    stopped: seconds(stopped),
  };
}
