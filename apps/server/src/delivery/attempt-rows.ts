import type { DeliveryAttempt } from '@hilltop/contract';
import type { Selectable } from 'kysely';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import type { DeliveryLogTable } from './tables.ts';

export type AttemptOutcome = DeliveryAttempt['outcome'];

/** A line of the attempt log: an attempt, or a note. */
export type AttemptLine = Omit<Selectable<DeliveryLogTable>, 'integration_id' | 'slot' | 'seq'>;
type NumberedLine = AttemptLine & { seq: number };

/** The most lines that are stored for each integration. */
export const maxLines = 500;

export async function writeAttempts({ query }: Database, id: number, lines: readonly NumberedLine[]): Promise<void> {
  if (lines.length === 0) return;
  const rows = lines.map((line) => ({ integration_id: id, slot: line.seq % maxLines, ...line }));
  const names = Object.keys(rows[0]!).filter((name) => name !== 'integration_id' && name !== 'slot');
  await query
    .insertInto('delivery_log')
    .values(rows)
    .onConflict((on) =>
      on.columns(['integration_id', 'slot']).doUpdateSet((eb) => {
        const entries = names.map((name) => [name, eb.ref(`excluded.${name}` as 'excluded.seq')]);
        return Object.fromEntries(entries) as Record<string, never>;
      }),
    )
    .execute();
}

/** The number of the next line. */
export async function nextLineNumber({ query }: Database, id: number): Promise<number> {
  const row = await query
    .selectFrom('delivery_log')
    .select(({ fn }) => fn.max('seq').as('last'))
    .where('integration_id', '=', id)
    .executeTakeFirst();
  return Number(row?.last ?? -1) + 1;
}

/** Selects lines; empty values select all. */
export interface AttemptFilter {
  outcome: string;
  devEUI: string;
}

/** A page of lines, the newest first. */
export async function readAttempts(
  { query }: Database,
  id: number,
  { outcome, devEUI, limit, offset }: AttemptFilter & { limit: number; offset: number },
) {
  const matching = query
    .selectFrom('delivery_log')
    .where('integration_id', '=', id)
    .$if(outcome !== '', (rows) => rows.where('outcome', '=', outcome))
    .$if(devEUI !== '', (rows) => rows.where('dev_eui', '=', devEUI));
  const { count } = await matching.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
  const rows = await matching.selectAll().orderBy('seq', 'desc').limit(limit).offset(offset).execute();
  return { count: Number(count), rows };
}

/** Calls `onLine` with the stored lines, the oldest first, and then once with each new line, until the returned function is called. */
export async function watchAttempts(
  { database, bus }: { database: Database; bus: Bus },
  id: number,
  filter: AttemptFilter,
  onLine: (line: DeliveryAttempt) => void,
): Promise<() => void> {
  /** New lines until the stored ones have been read. */
  let pending: DeliveryAttempt[] | undefined = [];
  let lastNumber = -1;
  const pass = (line: DeliveryAttempt) => {
    // A line can be read from the database before the bus announces it.
    if (line.line <= lastNumber) return;
    lastNumber = line.line;
    if ((filter.outcome || line.outcome) === line.outcome && (filter.devEUI || line.devEUI) === line.devEUI)
      onLine(line);
  };
  const stop = await bus.subscribe('delivery-lines', String(id), (lines) => {
    if (pending) pending.push(...lines);
    else lines.forEach(pass);
  });
  try {
    const { rows } = await readAttempts(database, id, { ...filter, limit: maxLines, offset: 0 });
    for (const row of rows.reverse()) pass(toAttempt(row));
    for (const line of pending) pass(line);
    pending = undefined;
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}

/** A line in the form of the API. */
export function toAttempt(row: NumberedLine): DeliveryAttempt {
  return {
    line: row.seq,
    at: row.at.toISOString(),
    eventID: row.event_id,
    eventType: row.type,
    devEUI: row.dev_eui,
    outcome: row.outcome as AttemptOutcome,
    status: row.status,
    message: row.message,
    milliseconds: row.ms,
    attempt: row.attempt,
    bytes: row.bytes,
    excerpt: row.excerpt,
  };
}
