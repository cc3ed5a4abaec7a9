import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { refusal } from '@hilltop/contract';
import type { RawBuilder } from 'kysely';
import type { Database } from '../../database/database.ts';
import { conditionsOfSelection, type DeviceSelection } from '../device/filters.ts';
import { conditionsOfGateways, type GatewaySelection } from '../gateway/store.ts';

/** The most rows that a job or a download works on. */
export const mostSelected = 100_000;
const keysPerPage = 1000;

interface PageOfKeys {
  most?: number;
  perPage?: number;
}

/** The DevEUIs of a selection in their order, in pages. Throws when there are more than `most`. */
export async function* selectedDevEUIs(
  database: Database,
  selection: DeviceSelection,
  now: Date,
  sizes: PageOfKeys = {},
): AsyncGenerator<string[]> {
  const wanted = await conditionsOfSelection(database, selection, now);
  yield* pagesOf(database, { table: 'device', key: 'dev_eui', called: 'devices', wanted }, sizes);
}

/** The same for IDs of gateways. */
export async function* selectedGatewayIDs(
  database: Database,
  selection: GatewaySelection,
  now: Date,
  sizes: PageOfKeys = {},
): AsyncGenerator<string[]> {
  const wanted = await conditionsOfGateways(database, selection, now);
  yield* pagesOf(database, { table: 'gateway', key: 'id', called: 'gateways', wanted }, sizes);
}

interface SelectedTable {
  table: 'device' | 'gateway';
  key: 'dev_eui' | 'id';
  called: string;
  wanted: readonly RawBuilder<boolean>[];
}

/** Each page begins after the last key, so that rows may change meanwhile. */
async function* pagesOf(
  { query }: Database,
  { table, key, called, wanted }: SelectedTable,
  { most = mostSelected, perPage = keysPerPage }: PageOfKeys,
): AsyncGenerator<string[]> {
  // One table represents both: kysely cannot express "a table with this key".
  const column = `${table}.${key}` as 'device.dev_eui';
  let after = '';
  for (let read = 0; ; ) {
    const rows = await wanted
      .reduce((all, one) => all.where(one), query.selectFrom(table as 'device'))
      .where(column, '>', after)
      .select(`${column} as key`)
      .orderBy(column)
      .limit(perPage)
      .execute();
    read += rows.length;
    if (read > most) throw refusal('TOO_MANY_SELECTED', { called, most });
    if (rows.length > 0) yield rows.map((row) => row.key);
    if (rows.length < perPage) return;
    after = rows.at(-1)!.key;
    await yieldToEventLoop();
  }
}
