import { type ConditionName, conditionOf } from '@hilltop/contract/conditions';
import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { DatabaseKind } from '../database/database.ts';
import type { KnownTime } from '../database/elapsed-time.ts';
import type { Tables } from '../database/tables.ts';
import type { ConditionTable } from './tables.ts';

/** A condition that is true, as an evaluation finds it. */
export interface FoundCondition {
  readonly condition: ConditionName;
  readonly subjectID: string;
  readonly organizationID: number;
  readonly applicationID?: number | null;
  /** Undefined: now, or when it was first found. */
  readonly since?: number | undefined;
  readonly value?: number | undefined;
  readonly text?: string | undefined;
}

export type OpenCondition = Selectable<ConditionTable>;

/** What the rules of all subjects read. */
export interface EvaluationContext {
  readonly query: Kysely<Tables>;
  readonly kind: DatabaseKind;
  readonly time: KnownTime;
  /** The open conditions by `keyOf`. */
  readonly open: ReadonlyMap<string, OpenCondition>;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export const keyOf = (condition: ConditionName, subjectID: string): string => `${condition} ${subjectID}`;

export const isOpen = ({ open }: EvaluationContext, condition: ConditionName, subjectID: string): boolean =>
  open.has(keyOf(condition, subjectID));

/** A time as milliseconds since 1970. */
export const msOf = (kind: DatabaseKind, column: string): RawBuilder<number | null> =>
  kind === 'sqlite'
    ? sql<number | null>`round(unixepoch(${sql.ref(column)}, 'subsec') * 1000)`
    : sql<number | null>`round(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;

/** An open condition whose start is the same: it lasts, even if the clock was set back. */
export const hasLasted = (
  { open }: EvaluationContext,
  condition: ConditionName,
  { subjectID, since }: Begin,
): boolean => open.get(keyOf(condition, subjectID))?.since === since;

interface Begin {
  readonly subjectID: string;
  readonly since: number;
}

/** The lowest is the worst: by the value that its condition declares, else the longest. */
export function rankOf({ condition, value }: FoundCondition, since: number): number {
  const { value: declared, isLowerWorse } = conditionOf(condition);
  if (!declared || declared.kind === 'duration' || value === undefined) return since;
  return isLowerWorse ? value : -value;
}

/** The statistics of these subjects from a time on; only of those that have some. */
export async function countersSince(
  { query, kind }: EvaluationContext,
  subjects: readonly string[],
  { interval, from }: { interval: string; from: number },
): Promise<{ subject: string; counters: Record<string, number> }[]> {
  if (subjects.length === 0) return [];
  const list = JSON.stringify(subjects);
  const wanted =
    kind === 'sqlite' ? sql`json_each(${list})` : sql`jsonb_array_elements_text(${list}::jsonb) as k(value)`;
  // The cross join keeps SQLite from beginning with the larger table.
  const { rows } = await sql<{ subject: string; counters: string }>`
    select metric.subject, metric.counters from ${wanted} ${sql.raw(kind === 'sqlite' ? 'as k' : '')} cross join metric
    where metric.subject = k.value and metric.interval = ${interval} and metric.start >= ${from}`.execute(query);
  return rows.map(({ subject, counters }) => ({ subject, counters: JSON.parse(counters) as Record<string, number> }));
}
