import { type GatewayEventType, type GatewayHTTPIntegration, sendsGatewayEvent } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Metrics } from '../metrics.ts';
import { type EventGateway, type GatewayEventDetails, gatewayEvent } from './gateway-event.ts';

/** Whether somebody outside of this server's database, such as a broker, receives events of an organization. */
type Receives = (organizationID: number) => boolean;

/** Writes the events of gateways into the event log, from where the integrations of their organization get them. */
export interface GatewayEvents {
  /** Call it in a transaction. */
  record: <Type extends GatewayEventType>(
    type: Type,
    gateway: EventGateway,
    details: GatewayEventDetails[Type],
  ) => Promise<void>;
  /** The gateway, with whether somebody receives its statistics: nobody else needs them in the log. */
  find: (gatewayID: string) => Promise<(EventGateway & { isStatsWanted: boolean }) | undefined>;
  /** Records that a gateway went offline or came back. Call it in the transaction that stores this. */
  recordTransition: (transition: GatewayTransition) => Promise<void>;
  addReceiver: (receives: Receives) => void;
}

interface GatewayEventsDependencies {
  database: Database;
  eventLog: Pick<EventLog, 'append'>;
  clock: Clock;
  metrics: Pick<Metrics, 'count'>;
}

interface GatewayTransition {
  readonly gatewayID: string;
  readonly state: 'ONLINE' | 'OFFLINE';
  readonly at: Date;
  readonly reason: string;
  readonly offlineSince?: Date;
}

/** The number in an event id separates events of a gateway in one millisecond. */
const mostNumber = 1_000_000;

export function createGatewayEvents({ database, eventLog, clock, metrics }: GatewayEventsDependencies): GatewayEvents {
  const receivers: Receives[] = [];
  // Instances and restarts begin at different numbers.
  let number = Math.floor(Math.random() * mostNumber);

  const record: GatewayEvents['record'] = async (type, gateway, details) => {
    // On PostgreSQL a transaction needs its id before an event gets a position.
    if (database.kind === 'postgres') await sql`select pg_current_xact_id()`.execute(database.query);
    number = (number + 1) % mostNumber;
    const event = gatewayEvent(type, gateway, { at: clock.now(), number, details });
    await eventLog.append({ ...event, type, json: () => event.json });
    database.afterCommit(() => metrics.count('gateway_events', { type }));
  };

  const find: GatewayEvents['find'] = async (gatewayID) => {
    const row = await database.query
      .selectFrom('gateway')
      .leftJoin('integration', 'integration.organization_id', 'gateway.organization_id')
      .select(['gateway.id', 'gateway.name', 'gateway.organization_id', 'gateway.tags', 'integration.config'])
      .where('gateway.id', '=', gatewayID)
      .executeTakeFirst();
    if (!row) return undefined;
    const { id, name, organization_id: organizationID, tags, config } = row;
    const isStatsWanted =
      (config !== null && sendsGatewayEvent(config as GatewayHTTPIntegration, 'stats')) ||
      receivers.some((receives) => receives(organizationID));
    return { id, name, organizationID, tags, isStatsWanted };
  };

  return {
    record,
    find,
    recordTransition: async ({ gatewayID, state, at, reason, offlineSince }) => {
      const gateway = await find(gatewayID);
      if (!gateway) return;
      const since = at.toISOString();
      if (state === 'OFFLINE') await record('offline', gateway, { since, reason });
      else await record('online', gateway, { since, offlineSince: offlineSince?.toISOString() ?? null });
    },
    addReceiver: (receives) => void receivers.push(receives),
  };
}
