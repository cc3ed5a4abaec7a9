import type { DeliveryAttempt } from '@hilltop/contract';
import type { Selectable } from 'kysely';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import type { DeliveryLogTable } from './tables.ts';

export type AttemptOutcome = DeliveryAttempt['outcome'];

/** What is said of one try, or of something else worth a line. */
export type Line = Omit<Selectable<DeliveryLogTable>, 'integration_id' | 'slot' | 'seq'>;
type Numbered = Line & { seq: number };

/** Of each integration. */
export const linesKept = 500;

export async function writeLines({ query }: Database, id: number, lines: readonly Numbered[]): Promise<void> {
  if (lines.length === 0) return;
  const rows = lines.map((line) => ({ integration_id: id, slot: line.seq % linesKept, ...line }));
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

/** The number that the next line gets. */
export async function nextSeq({ query }: Database, id: number): Promise<number> {
  const row = await query
    .selectFrom('delivery_log')
    .select(({ fn }) => fn.max('seq').as('last'))
    .where('integration_id', '=', id)
    .executeTakeFirst();
  return Number(row?.last ?? -1) + 1;
}

/** Which lines somebody looks for; empty: any. */
export interface AttemptFilter {
  outcome: string;
  devEUI: string;
}

/** A page of lines, the newest first. */
export async function readLines(
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

/** The lines that are kept first, the oldest at their beginning, then each new one exactly once; ends by calling what it answers. */
export async function watchLines(
  { database, bus }: { database: Database; bus: Bus },
  id: number,
  wanted: AttemptFilter,
  onLine: (line: DeliveryAttempt) => void,
): Promise<() => void> {
  let early: DeliveryAttempt[] | undefined = [];
  let last = -1;
  const pass = (line: DeliveryAttempt) => {
    // Lines can be read a moment before they are told of.
    if (line.line <= last) return;
    last = line.line;
    if ((wanted.outcome || line.outcome) === line.outcome && (wanted.devEUI || line.devEUI) === line.devEUI)
      onLine(line);
  };
  const stop = await bus.subscribe('delivery-lines', String(id), (lines) => {
    if (early) early.push(...lines);
    else lines.forEach(pass);
  });
  try {
    const { rows } = await readLines(database, id, { ...wanted, limit: linesKept, offset: 0 });
    for (const row of rows.reverse()) pass(toAttempt(row));
    for (const line of early) pass(line);
    early = undefined;
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}

/** As the API shows it. */
export function toAttempt(row: Numbered): DeliveryAttempt {
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
