import {
  type AuditEntry,
  type AuditSubjectKind,
  auditedReads,
  type Operations,
  type ResponseOf,
} from '@hilltop/contract';
import type { Selectable } from 'kysely';
import { readChanges } from '../../audit/changes.ts';
import type { AuditTable } from '../../audit/tables.ts';
import type { Database } from '../../database/database.ts';

export interface AuditFilter {
  organizationID: number | undefined;
  /** '' matches any. */
  actor: string;
  operation: string;
  subject: string;
  changesOnly: boolean;
  start: Date | undefined;
  end: Date | undefined;
  /** The last entry of the page before: only older ones. */
  before: { at: Date; id: number } | undefined;
  limit: number;
}

/** Rows that one page looks at, where a filter has no index: the next page continues there. */
const mostSearched = 2_000;
/** Most pages are full after this many rows. */
const searchedTogether = 250;

type EntryKey = Pick<Selectable<AuditTable>, 'at' | 'id'>;

/**
 * A page of entries, the newest first. The most selective filter uses its index, and the others are compared in the rows
 * that it finds, without their changes.
 */
export async function listAudit(
  { query }: Database,
  filter: AuditFilter,
): Promise<Pick<ResponseOf<Operations['audit']['list']>, 'result' | 'older'>> {
  const { limit } = filter;
  const { indexed, matches, isNarrowed } = conditionsOf(filter);
  const matching: EntryKey[] = [];
  let searched = 0;
  let last = filter.before;
  let isWhole = false;
  while (!isWhole && matching.length <= limit && searched < mostSearched) {
    const most = isNarrowed ? Math.min(searchedTogether, mostSearched - searched) : limit + 1;
    const found = await rowsOf(query, filter, indexed, { before: last, most });
    searched += found.length;
    isWhole = found.length < most;
    last = found.at(-1) ?? last;
    matching.push(...found.filter(matches));
  }
  const page = matching.slice(0, limit);
  const next = matching.length > limit ? page.at(-1) : isWhole ? undefined : last;
  return { result: await entriesOf(query, page), older: next ? cursorOf(next) : '' };
}

const searchedColumns = ['id', 'at', 'operation', 'outcome', 'subject', 'actor_name', 'organization_id'] as const;
type SearchedRow = Pick<Selectable<AuditTable>, (typeof searchedColumns)[number]>;

function conditionsOf({ organizationID, actor, operation, subject, changesOnly }: AuditFilter) {
  const filters = [
    { column: 'subject', value: subject },
    { column: 'actor_name', value: actor },
    { column: 'organization_id', value: organizationID ?? '' },
  ] as const;
  const [indexed, ...more] = filters.filter(({ value }) => value !== '');
  const others = [...more, ...(operation === '' ? [] : [{ column: 'operation', value: operation } as const])];
  const isChange = (row: SearchedRow) => row.outcome === 'OK' && !auditedReads.includes(row.operation);
  const matches = (row: SearchedRow) =>
    others.every(({ column, value }) => row[column] === value) && (!changesOnly || isChange(row));
  return { indexed, matches, isNarrowed: others.length > 0 || changesOnly };
}

function rowsOf(
  query: Database['query'],
  { start, end }: AuditFilter,
  indexed: ReturnType<typeof conditionsOf>['indexed'],
  { before, most }: { before: EntryKey | undefined; most: number },
): Promise<SearchedRow[]> {
  let rows = query.selectFrom('audit').select(searchedColumns).orderBy('at', 'desc').orderBy('id', 'desc').limit(most);
  if (indexed) rows = rows.where(indexed.column, '=', indexed.value);
  if (start) rows = rows.where('at', '>=', start);
  if (end) rows = rows.where('at', '<', end);
  if (before) rows = rows.where((eb) => eb(eb.refTuple('at', 'id'), '<', eb.tuple(before.at, before.id)));
  return rows.execute();
}

async function entriesOf(query: Database['query'], keys: readonly EntryKey[]): Promise<AuditEntry[]> {
  if (keys.length === 0) return [];
  const ids = keys.map(({ id }) => id);
  const rows = await query.selectFrom('audit').selectAll().where('id', 'in', ids).execute();
  const byID = new Map(rows.map((row) => [row.id, row]));
  // Retention may have removed an entry meanwhile.
  return ids.flatMap((id) => byID.get(id) ?? []).map(fromRow);
}

const cursorOf = ({ at, id }: EntryKey): string => `${at.getTime()}-${id}`;

/** The entry that a cursor names. */
export function entryAt(cursor: string): { at: Date; id: number } | undefined {
  const [ms, id] = cursor.split('-').map(Number);
  return ms === undefined || id === undefined ? undefined : { at: new Date(ms), id };
}

function fromRow(row: Selectable<AuditTable>): AuditEntry {
  const slash = row.subject.indexOf('/');
  return {
    id: String(row.id),
    at: row.at.toISOString(),
    actorKind: row.actor_kind,
    actorID: row.actor_id,
    actorName: row.actor_name,
    address: row.address,
    organizationID: String(row.organization_id),
    operation: row.operation,
    subjectKind: row.subject.slice(0, slash) as AuditSubjectKind,
    subjectID: row.subject.slice(slash + 1),
    subjectName: row.subject_name,
    ...readChanges(row.changes),
    outcome: row.outcome,
    requestID: row.request_id,
    jobID: row.job_id,
  };
}
