import { type GatewayEventType, type GatewayHTTPIntegration, sendsGatewayEvent } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Metrics } from '../metrics.ts';
import { type EventGateway, type GatewayEventDetails, gatewayEvent } from './gateway-event.ts';

/** Whether somebody outside of this server's database, such as a broker, receives events of an organization. */
type Receives = (organizationID: number) => boolean;

/** Writes the events of gateways into the event log, from where the integrations of their organization get them. */
export interface GatewayEvents {
  /**
   * Call it in a transaction that has already written a row: on PostgreSQL an event needs the id of its transaction
   * before its position.
   */
  record: <Type extends GatewayEventType>(
    type: Type,
    gateway: EventGateway,
    details: GatewayEventDetails[Type],
  ) => Promise<void>;
  /** The gateway, with whether somebody receives its statistics: nobody else needs them in the log. */
  find: (gatewayID: string) => Promise<(EventGateway & { isStatsWanted: boolean }) | undefined>;
  addReceiver: (receives: Receives) => void;
}

interface GatewayEventsDependencies {
  database: Database;
  eventLog: Pick<EventLog, 'append'>;
  clock: Clock;
  metrics: Pick<Metrics, 'count'>;
}

/** The number in an event id separates events of a gateway in one millisecond. */
const mostNumber = 1_000_000;

export function createGatewayEvents({ database, eventLog, clock, metrics }: GatewayEventsDependencies): GatewayEvents {
  const receivers: Receives[] = [];
  // Instances and restarts begin at different numbers.
  let number = Math.floor(Math.random() * mostNumber);

  return {
    record: async (type, gateway, details) => {
      number = (number + 1) % mostNumber;
      const event = gatewayEvent(type, gateway, { at: clock.now(), number, details });
      await eventLog.append({ ...event, type, json: () => event.json });
      database.afterCommit(() => metrics.count('gateway_events', { type }));
    },

    find: async (gatewayID) => {
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
    },

    addReceiver: (receives) => void receivers.push(receives),
  };
}
