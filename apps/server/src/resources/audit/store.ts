import {
  type AuditEntry,
  type AuditSubjectKind,
  auditedReads,
  type Operations,
  type ResponseOf,
} from '@hilltop/contract';
import type { Selectable } from 'kysely';
import type { StoredChanges } from '../../audit/changes.ts';
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

/**
 * A page of entries, the newest first. The most selective filter uses its index, and the others are compared in the rows
 * that it finds.
 */
export async function listAudit(
  { query }: Database,
  { organizationID, actor, operation, subject, changesOnly, start, end, before, limit }: AuditFilter,
): Promise<Pick<ResponseOf<Operations['audit']['list']>, 'result' | 'older'>> {
  const filters = [
    { column: 'subject', value: subject },
    { column: 'actor_name', value: actor },
    { column: 'organization_id', value: organizationID ?? '' },
  ] as const;
  const [indexed, ...more] = filters.filter(({ value }) => value !== '');
  const others = [...more, ...(operation === '' ? [] : [{ column: 'operation', value: operation } as const])];
  const isNarrowed = others.length > 0 || changesOnly;
  const searched = isNarrowed ? mostSearched : limit + 1;
  let rows = query.selectFrom('audit').selectAll().orderBy('at', 'desc').orderBy('id', 'desc').limit(searched);
  if (indexed) rows = rows.where(indexed.column, '=', indexed.value);
  if (start) rows = rows.where('at', '>=', start);
  if (end) rows = rows.where('at', '<', end);
  if (before) rows = rows.where((eb) => eb(eb.refTuple('at', 'id'), '<', eb.tuple(before.at, before.id)));
  const found = await rows.execute();
  const isChange = ({ outcome, operation: key }: (typeof found)[number]) =>
    outcome === 'OK' && !auditedReads.includes(key);
  const matching = found.filter(
    (row) => others.every(({ column, value }) => row[column] === value) && (!changesOnly || isChange(row)),
  );
  const page = matching.slice(0, limit);
  const isWhole = matching.length <= limit && found.length < searched;
  const last = matching.length > limit ? page.at(-1) : found.at(-1);
  return { result: page.map(fromRow), older: isWhole || !last ? '' : cursorOf(last) };
}

const cursorOf = ({ at, id }: Pick<Selectable<AuditTable>, 'at' | 'id'>): string => `${at.getTime()}-${id}`;

/** The entry that a cursor names. */
export function entryAt(cursor: string): { at: Date; id: number } | undefined {
  const [ms, id] = cursor.split('-').map(Number);
  return ms === undefined || id === undefined ? undefined : { at: new Date(ms), id };
}

function fromRow(row: Selectable<AuditTable>): AuditEntry {
  const slash = row.subject.indexOf('/');
  const { changes, isCut }: StoredChanges =
    row.changes === '' ? { changes: [], isCut: false } : JSON.parse(row.changes);
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
    changes: [...changes],
    outcome: row.outcome,
    requestID: row.request_id,
    jobID: row.job_id,
    isCut,
  };
}
