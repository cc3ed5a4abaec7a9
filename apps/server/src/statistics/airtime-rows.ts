import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { isInList } from '../database/in-list.ts';
import type { Tables } from '../database/tables.ts';
import { AirtimeHour, packHour, unpackHour } from './airtime-hour.ts';

export const hourMs = 3_600_000;
export const airtimeKeptMs = 90 * 24 * hourMs;

/** What a gateway received and sent since the last write. */
export interface CountedHour {
  gatewayID: string;
  /** Its start, in milliseconds since 1970. */
  hour: number;
  sums: AirtimeHour;
}

type AirtimeRow = Selectable<Tables['gateway_airtime']>;

const keyOf = (gatewayID: string, hour: number) => `${gatewayID} ${hour}`;

/**
 * Adds sums to their rows, in the current transaction. Gateways that are not registered are left out. Instances that add
 * to the same row wait for each other.
 */
export async function addAirtime(database: Database, counted: readonly CountedHour[], now: number): Promise<void> {
  const { query, kind } = database;
  const registered = await query
    .selectFrom('gateway')
    .select('id')
    .where(isInList(kind, 'id', [...new Set(counted.map(({ gatewayID }) => gatewayID))]))
    .execute();
  const ids = new Set(registered.map(({ id }) => id));
  // In one order, so that two instances never wait for each other in a circle.
  const added = counted
    .filter(({ gatewayID }) => ids.has(gatewayID))
    .sort((a, b) => a.gatewayID.localeCompare(b.gatewayID) || a.hour - b.hour);
  if (added.length === 0) return;
  if (kind === 'postgres') {
    const empty = added.map(({ gatewayID, hour }) => rowOf(gatewayID, hour, new AirtimeHour()));
    await query
      .insertInto('gateway_airtime')
      .values(empty)
      .onConflict((oc) => oc.doNothing())
      .execute();
  }
  const stored = await storedHours(database, added);
  const rows = added.map(({ gatewayID, hour, sums }) => {
    const total = new AirtimeHour();
    const known = stored.get(keyOf(gatewayID, hour));
    if (known) total.addHour(unpackHour(known));
    total.addHour(sums);
    total.trim(hour + hourMs <= now);
    return rowOf(gatewayID, hour, total);
  });
  await query
    .insertInto('gateway_airtime')
    .values(rows)
    .onConflict((oc) =>
      oc.columns(['gateway_id', 'hour']).doUpdateSet((eb) => ({
        own_us: eb.ref('excluded.own_us'),
        foreign_us: eb.ref('excluded.foreign_us'),
        unreadable_us: eb.ref('excluded.unreadable_us'),
        sent_us: eb.ref('excluded.sent_us'),
        fullest: eb.ref('excluded.fullest'),
        details: eb.ref('excluded.details'),
      })),
    )
    .execute();
}

async function storedHours({ query, kind }: Database, counted: readonly CountedHour[]) {
  const rows = await query
    .selectFrom('gateway_airtime')
    .selectAll()
    .where(isInList(kind, 'gateway_id', [...new Set(counted.map(({ gatewayID }) => gatewayID))]))
    .where('hour', 'in', [...new Set(counted.map(({ hour }) => hour))])
    .orderBy('gateway_id')
    .orderBy('hour')
    .$if(kind === 'postgres', (all) => all.forUpdate())
    .execute();
  return new Map(rows.map((row) => [keyOf(row.gateway_id, Number(row.hour)), row]));
}

function rowOf(gateway_id: string, hour: number, sums: AirtimeHour): AirtimeRow {
  const { ownUs: own_us, foreignUs: foreign_us, unreadableUs: unreadable_us, sentUs: sent_us } = sums;
  const fullest = sums.fullest();
  return { gateway_id, hour, own_us, foreign_us, unreadable_us, sent_us, fullest, details: packHour(sums) };
}

/** The rows of a gateway for hours that start in the range, without those that began before the retention. */
export async function readAirtime(
  { query }: Database,
  gatewayID: string,
  { from, to }: { from: number; to: number },
): Promise<AirtimeRow[]> {
  const rows = await query
    .selectFrom('gateway_airtime')
    .selectAll()
    .where('gateway_id', '=', gatewayID)
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .orderBy('hour')
    .execute();
  return rows.map((row) => ({ ...row, hour: Number(row.hour) }));
}

export async function removeAirtime({ query, kind }: Database, gatewayIDs: readonly string[]): Promise<void> {
  if (gatewayIDs.length > 0)
    await query
      .deleteFrom('gateway_airtime')
      .where(isInList(kind, 'gateway_id', gatewayIDs))
      .execute();
}

export async function renameAirtime({ query }: Database, gatewayID: string, to: string): Promise<void> {
  await query.deleteFrom('gateway_airtime').where('gateway_id', '=', to).execute();
  await query.updateTable('gateway_airtime').set({ gateway_id: to }).where('gateway_id', '=', gatewayID).execute();
}

/** Rows of one statement. */
const slice = 500;

export async function forgetOldAirtime({ query }: Database, now: number): Promise<void> {
  for (let removed = slice; removed >= slice; ) {
    const { numAffectedRows } = await sql`
      delete from gateway_airtime where (gateway_id, hour) in
        (select gateway_id, hour from gateway_airtime where hour < ${Math.floor(now - airtimeKeptMs)} limit ${slice})
    `.execute(query);
    removed = Number(numAffectedRows ?? 0);
  }
}
