import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../database/tables.ts';
import type { HistoryTables } from './tables.ts';

const devicesPerRead = 500;

/** A device that has rows of an earlier device with its DevEUI; without `upTo` it was deleted for good. */
interface ForeignRows {
  readonly devEUI: string;
  /** Rows from this position of the log or an earlier one are foreign. */
  readonly upTo: number | undefined;
}

export function isForeign(devEUI: string, upTo: number | undefined): RawBuilder<boolean> {
  return upTo === undefined
    ? sql<boolean>`dev_eui = ${devEUI}`
    : sql<boolean>`dev_eui = ${devEUI} and from_pos <= ${upTo}`;
}

/**
 * Where the rows of devices begin in the log. Those of a deleted device are kept while it can be restored, unless another
 * device has its DevEUI.
 */
export async function beginningsOf(
  log: Kysely<Tables>,
  devEUIs: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const known = await log
    .selectFrom('device')
    .select(['dev_eui', 'log_from'])
    .where('dev_eui', 'in', devEUIs)
    .execute();
  const beginnings = new Map(known.map(({ dev_eui, log_from }) => [dev_eui, log_from]));
  const missing = devEUIs.filter((devEUI) => !beginnings.has(devEUI));
  if (missing.length === 0) return beginnings;
  const deleted = await log
    .selectFrom('trash_row')
    .select(['record_id', 'log_from'])
    .where('record_id', 'in', missing)
    .where('kind', '=', 'DEVICE')
    .where('log_from', 'is not', null)
    .execute();
  for (const { record_id, log_from } of deleted) beginnings.set(record_id, log_from!);
  return beginnings;
}

/** Those of the devices that were deleted for good, or created again since. */
export async function* foreignDevices(
  log: Kysely<Tables>,
  pages: AsyncIterable<readonly string[]>,
): AsyncGenerator<ForeignRows> {
  for await (const devEUIs of pages) {
    const beginnings = await beginningsOf(log, devEUIs);
    for (const devEUI of devEUIs) {
      const upTo = beginnings.get(devEUI);
      if (upTo !== 0) yield { devEUI, upTo };
    }
  }
}

/** The devices that have rows in a table. */
export async function* pagesOfDevices(
  query: Kysely<HistoryTables>,
  table: 'event_block' | 'series_device',
): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const devices = await query
      .selectFrom(table)
      .select('dev_eui')
      .distinct()
      .where('dev_eui', '>', after)
      .orderBy('dev_eui')
      .limit(devicesPerRead)
      .execute();
    if (devices.length === 0) return;
    yield devices.map(({ dev_eui }) => dev_eui);
    after = devices.at(-1)!.dev_eui;
    await yieldToEventLoop();
  }
}
