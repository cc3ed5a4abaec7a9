import type { PingOutcome } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';

/** The last ping of each gateway, and the gateways that received it. */

export interface Ping {
  gatewayID: string;
  /** The MIC by which a received ping is recognized: eight hex digits. */
  mic: string;
  /** Hz. */
  frequency: number;
  dr: number;
  createdAt: Date;
}

export interface PingReception {
  gatewayID: string;
  receivedAt: Date;
  rssi: number;
  loRaSNR: number;
  latitude: number;
  longitude: number;
  altitude: number;
}

/** Stores that a gateway is about to send a ping. Until the outcome is known, it counts as not sent. */
export async function storeAttempt({ query }: Database, { gatewayID, createdAt, ...ping }: Ping): Promise<void> {
  const content = { ...ping, tried_at: createdAt, outcome: 'NOT_SENT' };
  await query
    .insertInto('gateway_ping_try')
    .values({ gateway_id: gatewayID, ...content })
    .onConflict((on) => on.column('gateway_id').doUpdateSet(content))
    .execute();
}

/** Stores the outcome of a ping. Call it in a transaction. */
export async function storeOutcome(
  database: Database,
  { gatewayID, mic, outcome }: { gatewayID: string; mic: string; outcome: PingOutcome },
): Promise<void> {
  const { query } = database;
  if (outcome === 'SENT') return saveLeft(database, gatewayID, mic);
  await query
    .updateTable('gateway_ping_try')
    .set({ outcome })
    .where('gateway_id', '=', gatewayID)
    .where('mic', '=', mic)
    // Another gateway has received the ping in the meantime.
    .where('outcome', '!=', 'SENT')
    .execute();
}

/** Stores once that the ping was sent; it replaces the previous ping. */
async function saveLeft({ query }: Database, gatewayID: string, mic: string): Promise<void> {
  const tries = query.updateTable('gateway_ping_try').set({ outcome: 'SENT' });
  const one = await tries
    .where('gateway_id', '=', gatewayID)
    .where('mic', '=', mic)
    .where('outcome', '!=', 'SENT')
    .returning(['frequency', 'dr', 'tried_at'])
    .executeTakeFirst();
  if (!one) return;
  const content = { mic, frequency: one.frequency, dr: one.dr, created_at: one.tried_at };
  await query.deleteFrom('gateway_ping_rx').where('ping_gateway_id', '=', gatewayID).execute();
  await query
    .insertInto('gateway_ping')
    .values({ gateway_id: gatewayID, ...content })
    .onConflict((on) => on.column('gateway_id').doUpdateSet(content))
    .execute();
}

/** The gateway that sent this ping; undefined when none is pending. */
export async function senderOf({ query }: Database, mic: string, since: Date): Promise<string | undefined> {
  const row = await query
    .selectFrom('gateway_ping_try')
    .select('gateway_id')
    .where('mic', '=', mic)
    .where('tried_at', '>=', since)
    .executeTakeFirst();
  return row?.gateway_id;
}

/**
 * A received ping was sent, whatever its gateway reports. Ignores receivers that are not registered and those already
 * stored.
 */
export async function savePingReceptions(
  database: Database,
  { sender, mic }: { sender: string; mic: string },
  receptions: readonly PingReception[],
): Promise<void> {
  const { query } = database;
  const ids = receptions.map(({ gatewayID }) => gatewayID);
  const known = await query.selectFrom('gateway').select('id').where('id', 'in', ids).execute();
  const rows = receptions
    .filter(({ gatewayID }) => known.some(({ id }) => id === gatewayID))
    .map(({ gatewayID, receivedAt, loRaSNR, ...rest }) => ({
      ping_gateway_id: sender,
      gateway_id: gatewayID,
      received_at: receivedAt,
      lora_snr: loRaSNR,
      ...rest,
    }));
  if (rows.length === 0) return;
  await saveLeft(database, sender, mic);
  const insert = query.insertInto('gateway_ping_rx').values(rows);
  await insert.onConflict((on) => on.columns(['ping_gateway_id', 'gateway_id']).doNothing()).execute();
}

/** The last ping of a gateway with all receivers, the strongest first. */
export async function lastPing(
  { query }: Database,
  gatewayID: string,
): Promise<(Ping & { receptions: Omit<PingReception, 'receivedAt'>[] }) | undefined> {
  const ping = await query
    .selectFrom('gateway_ping')
    .selectAll()
    .where('gateway_id', '=', gatewayID)
    .executeTakeFirst();
  if (!ping) return undefined;
  const rows = await query
    .selectFrom('gateway_ping_rx')
    .selectAll()
    .where('ping_gateway_id', '=', gatewayID)
    .orderBy('rssi', 'desc')
    .orderBy('gateway_id')
    .execute();
  const { mic, frequency, dr, created_at: createdAt } = ping;
  const receptions = rows.map(({ gateway_id, rssi, lora_snr, latitude, longitude, altitude }) => {
    return { gatewayID: gateway_id, rssi, loRaSNR: lora_snr, latitude, longitude, altitude };
  });
  return { gatewayID, mic, frequency, dr, createdAt, receptions };
}

/** When a gateway last tried to send a ping, and the outcome; undefined before its first try. */
export async function lastTry(
  { query }: Database,
  gatewayID: string,
): Promise<{ triedAt: Date; outcome: string } | undefined> {
  const tries = query.selectFrom('gateway_ping_try').select(['tried_at', 'outcome']);
  const row = await tries.where('gateway_id', '=', gatewayID).executeTakeFirst();
  return row && { triedAt: row.tried_at, outcome: row.outcome };
}

/** A gateway whose ping is due, with frequency and data-rate of its network server. */
export interface DuePing {
  gatewayID: string;
  networkServerID: number;
  frequency: number;
  dr: number;
}

const dayMs = 86_400_000;

/**
 * The gateway whose ping is most overdue, among those seen since `aliveSince`. Gateways that never tried come first.
 */
export async function mostOverdue(
  { query }: Database,
  { now, aliveSince }: { now: Date; aliveSince: Date },
): Promise<DuePing | undefined> {
  const servers = await query
    .selectFrom('network_server')
    .selectAll()
    .where('gateway_discovery_enabled', '=', true)
    .where('gateway_discovery_interval', '>', 0)
    .execute();
  const due: (DuePing & { since: number })[] = [];
  for (const server of servers) {
    const before = new Date(now.getTime() - dayMs / server.gateway_discovery_interval);
    const row = await query
      .selectFrom('gateway')
      .leftJoin('gateway_ping_try', 'gateway_ping_try.gateway_id', 'gateway.id')
      .select(['gateway.id', 'gateway_ping_try.tried_at'])
      .where('gateway.network_server_id', '=', server.id)
      .where('gateway.discovery_enabled', '=', true)
      .where('gateway.last_seen_at', '>=', aliveSince)
      .where((eb) =>
        eb.or([eb('gateway_ping_try.tried_at', 'is', null), eb('gateway_ping_try.tried_at', '<=', before)]),
      )
      .orderBy('gateway_ping_try.tried_at', (order) => order.asc().nullsFirst())
      .orderBy('gateway.id')
      .limit(1)
      .executeTakeFirst();
    if (row)
      due.push({
        gatewayID: row.id,
        networkServerID: server.id,
        since: row.tried_at?.getTime() ?? 0,
        frequency: server.gateway_discovery_tx_frequency,
        dr: server.gateway_discovery_dr,
      });
  }
  return due.sort((a, b) => a.since - b.since)[0];
}
