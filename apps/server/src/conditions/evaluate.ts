import { randomUUID } from 'node:crypto';
import { type ConditionName, conditionNames, conditionOf } from '@hilltop/contract/conditions';
import { deviceConditions } from './device-conditions.ts';
import {
  type EvaluationContext,
  type FoundCondition,
  keyOf,
  type OpenCondition,
  rankOf,
} from './evaluation-context.ts';
import { gatewayConditions } from './gateway-conditions.ts';
import {
  type InstallationProblem,
  installationConditions,
  integrationConditions,
  keyConditions,
} from './other-conditions.ts';

export interface EvaluationRequest extends Pick<EvaluationContext, 'time'> {
  readonly problems: readonly InstallationProblem[];
  /** The most subjects of a condition that are stored. */
  readonly mostStored: number;
}

/** What an evaluation changes, as JSON, so that the main thread need not read it. */
export interface ConditionChanges {
  /** Lists of rows to insert or update. */
  readonly upserts: readonly string[];
  /** Lists of ids to delete. */
  readonly ended: readonly string[];
  readonly opened: number;
  /** How many subjects are not stored, by condition and organization. */
  readonly omitted: string;
}

const rowsPerList = 500;
/** Open conditions of which only the number changed wait for the next evaluation beyond this. */
const mostUpdates = 5000;

/** Evaluates all conditions, and compares them with those that are open. It only reads. */
export async function evaluate(
  source: Pick<EvaluationContext, 'query' | 'kind'>,
  { problems, mostStored, ...request }: EvaluationRequest,
): Promise<ConditionChanges> {
  const rows = await source.query.selectFrom('condition').selectAll().execute();
  const open = new Map(rows.map((row) => [keyOf(row.condition, row.subject_id), row]));
  const context: EvaluationContext = { ...source, ...request, open };
  const found = new Map<ConditionName, FoundCondition[]>(conditionNames.map((name) => [name, []]));
  for (const one of installationConditions(problems)) found.get(one.condition)!.push(one);
  for (const conditionsOf of [deviceConditions, gatewayConditions, integrationConditions, keyConditions])
    for await (const one of conditionsOf(context)) found.get(one.condition)!.push(one);
  return changesOf(context, found, mostStored);
}

type ConditionRow = Omit<OpenCondition, 'snoozed_until'>;

function changesOf(
  { time: { now }, open }: EvaluationContext,
  found: ReadonlyMap<ConditionName, readonly FoundCondition[]>,
  mostStored: number,
): ConditionChanges {
  const ended = new Map([...open].map(([key, { id }]) => [key, id]));
  const [opened, updated]: [ConditionRow[], ConditionRow[]] = [[], []];
  const omitted: Partial<Record<ConditionName, Record<string, number>>> = {};
  for (const [condition, all] of found) {
    const rows = all.map((one) => rowOf(one, open.get(keyOf(condition, one.subjectID)), now));
    const { stored, others } = worstOf(rows, mostStored);
    for (const { organization_id: id } of others) {
      omitted[condition] ??= {};
      omitted[condition][id] = (omitted[condition][id] ?? 0) + 1;
    }
    for (const row of stored) {
      const key = keyOf(condition, row.subject_id);
      const before = open.get(key);
      ended.delete(key);
      if (!before) opened.push(row);
      else if (!isSame(row, before)) updated.push(row);
    }
  }
  return {
    upserts: listsOf([...opened, ...updated.slice(0, mostUpdates)]),
    ended: listsOf([...ended.values()]),
    opened: opened.length,
    omitted: JSON.stringify(omitted),
  };
}

function rowOf(found: FoundCondition, before: OpenCondition | undefined, now: number): ConditionRow {
  const { condition, subjectID, organizationID, applicationID = null, value, text } = found;
  const since = found.since ?? before?.since ?? now;
  return {
    id: before?.id ?? randomUUID(),
    condition,
    subject_kind: conditionOf(condition).subject,
    subject_id: subjectID,
    organization_id: organizationID,
    application_id: applicationID,
    since,
    detail: JSON.stringify({ value, text }),
    rank: rankOf(found, since),
  };
}

function isSame(row: ConditionRow, before: OpenCondition): boolean {
  return (
    row.detail === before.detail &&
    row.since === before.since &&
    row.organization_id === before.organization_id &&
    row.application_id === before.application_id
  );
}

/** The worst rows of each organization in turn: one with many must not displace those of the others. */
function worstOf(rows: ConditionRow[], most: number): { stored: ConditionRow[]; others: ConditionRow[] } {
  if (rows.length <= most) return { stored: rows, others: [] };
  const turns = [...Map.groupBy(rows, ({ organization_id }) => organization_id).values()].flatMap((own) =>
    own.toSorted((one, other) => one.rank - other.rank).map((row, turn) => ({ row, turn })),
  );
  const inOrder = turns.toSorted((one, other) => one.turn - other.turn).map(({ row }) => row);
  return { stored: inOrder.slice(0, most), others: inOrder.slice(most) };
}

function listsOf(all: readonly unknown[]): string[] {
  const lists: string[] = [];
  for (let first = 0; first < all.length; first += rowsPerList)
    lists.push(JSON.stringify(all.slice(first, first + rowsPerList)));
  return lists;
}
