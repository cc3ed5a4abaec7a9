import {
  complete,
  type Job,
  JobAction,
  type JobKindName,
  type JobOutcomeName,
  type JobStateName,
  jobKindFacts,
  jobKinds,
  notFound,
  undoDays,
} from '@hilltop/contract';
import type { Insertable, Selectable } from 'kysely';
import { auditSubjectRow } from '../../audit/transactions.ts';
import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import type { RowOf } from '../../database/tables.ts';
import type { JobSubject, RowChange } from './kind.ts';
import type { JobTable } from './tables.ts';

export type JobRecord = Selectable<JobTable>;
export type RowOutcome = Exclude<JobOutcomeName, 'WAITING'>;
/** The number of rows by outcome. */
export type JobCounts = Record<Lowercase<RowOutcome>, number>;

export const unfinishedStates = ['WAITING', 'RUNNING', 'PAUSED'] as const satisfies readonly JobStateName[];
const undoMs = undoDays * 86_400_000;

export async function loadJob({ query }: Database, id: string): Promise<JobRecord> {
  const row = await query.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('job', id);
  return row;
}

/** Whether the same job of the organization has not ended yet. */
export async function hasUnfinishedJob(
  { query }: Database,
  { kind, organizationID, parameters }: { kind: JobKindName; organizationID: number | null; parameters: object },
): Promise<boolean> {
  const row = await query
    .selectFrom('job')
    .select('id')
    .where('organization_id', organizationID === null ? 'is' : '=', organizationID)
    .where('state', 'in', unfinishedStates)
    .where('kind', '=', kind)
    .where('parameters', '=', JSON.stringify(parameters))
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertJob({ query }: Database, row: Insertable<JobTable>): Promise<void> {
  await query.insertInto('job').values(row).execute();
  auditSubjectRow('job', row.id);
}

/** A job that a runner has claimed under its epoch. Once another runner claims the job, no write under this claim succeeds. */
export interface JobClaim {
  readonly id: string;
  readonly epoch: number;
}

/** An epoch greater than all before, and than `claimed`: restored jobs may have a greater one than the installation. */
export async function nextEpoch({ query }: Database, claimed: number): Promise<number> {
  const { job_epoch } = await query
    .updateTable('installation')
    .set((eb) => ({
      job_epoch: eb
        .case()
        .when('job_epoch', '>=', claimed)
        .then(eb('job_epoch', '+', 1))
        .else(claimed + 1)
        .end(),
    }))
    .returning('job_epoch')
    .executeTakeFirstOrThrow();
  return job_epoch;
}

/** Claims a job to run it. Undefined when it does not wait or run, or is claimed under a greater epoch. */
export function claimJob({ query }: Database, { id, epoch }: JobClaim, nowMs: number): Promise<JobRecord | undefined> {
  return query
    .updateTable('job')
    .set((eb) => ({ state: 'RUNNING', epoch, started_at: eb.fn.coalesce('started_at', eb.val(nowMs)) }))
    .where('id', '=', id)
    .where('state', 'in', ['WAITING', 'RUNNING'])
    .where('epoch', '<=', epoch)
    .returningAll()
    .executeTakeFirst();
}

const stateOf = statement<RowOf<'job', 'state' | 'epoch'>>()({
  sql: ({ kind }) => `select state, epoch from job where id = $id${kind === 'postgres' ? ' for share' : ''}`,
  given: { id: 'text' },
  batch: {},
});

/** Whether the job is running under this claim; it stays so until the end of the transaction. */
export async function isRunning(database: Database, { id, epoch }: JobClaim): Promise<boolean> {
  const job = await stateOf(database).first({ id });
  return job?.state === 'RUNNING' && job.epoch === epoch;
}

/** Writes in one transaction, unless the job no longer runs under this claim. Answers whether it wrote. */
export function whileRunning(database: Database, claim: JobClaim, write: () => Promise<unknown>): Promise<boolean> {
  return database.transaction(async () => {
    if (!(await isRunning(database, claim))) return false;
    await write();
    return true;
  });
}

/** Changes the state of a job. Answers false when it is in none of the given states, or another runner has claimed it. */
export async function changeState(
  { query }: Database,
  { id, epoch }: Pick<JobClaim, 'id'> & Partial<JobClaim>,
  from: readonly JobStateName[],
  changes: Partial<Pick<JobRecord, 'state' | 'problem' | 'ended_at' | 'is_prepared' | 'total'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('job')
    .set(changes)
    .where('id', '=', id)
    .$if(epoch !== undefined, (rows) => rows.where('epoch', '=', epoch!))
    .where('state', 'in', from)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export type PendingRow = RowOf<'job_row', 'position' | 'subject' | 'name' | 'input'>;

export function pendingRows({ query }: Database, jobID: string, limit: number): Promise<PendingRow[]> {
  return query
    .selectFrom('job_row')
    .select(['position', 'subject', 'name', 'input'])
    .where('job_id', '=', jobID)
    .where('outcome', '=', '')
    .orderBy('position')
    .limit(limit)
    .execute();
}

const outcomeOf = statement()({
  sql: ({ from }) => `update job_row set outcome = $outcome, reason = $reason, message = $message, before = $before,
      after = $after, input = ''
    ${from} where job_id = $jobID and position = $position and outcome = ''`,
  given: {
    jobID: 'text',
    position: 'int8',
    outcome: 'text',
    reason: 'text',
    message: 'text',
    before: 'text?',
    after: 'text?',
  },
  batch: { rowKey: 'position' },
});

interface StoredOutcome {
  outcome: RowOutcome;
  reason?: string;
  message?: string;
  change?: RowChange | undefined;
}

/** Answers false when the row has an outcome already. */
export async function storeOutcome(
  database: Database,
  row: { jobID: string; position: number },
  { outcome, reason = '', message = '', change }: StoredOutcome,
): Promise<boolean> {
  const json = (value: unknown) => (change ? JSON.stringify(value) : null);
  const values = { outcome, reason, message, before: json(change?.before), after: json(change?.after) };
  return (await outcomeOf(database).run({ jobID: row.jobID, position: row.position, ...values })) > 0;
}

/** Rows that failed wait again. */
async function resetRows({ query }: Database, jobID: string, positions: readonly number[]): Promise<void> {
  await query
    .updateTable('job_row')
    .set({ outcome: '', reason: '', message: '' })
    .where('job_id', '=', jobID)
    .where('position', 'in', positions)
    .where('outcome', '=', 'FAILED')
    .execute();
}

export async function insertRows(
  { query }: Database,
  jobID: string,
  first: number,
  subjects: readonly JobSubject[],
): Promise<void> {
  const rows = subjects.map(({ subject, name, input = '' }, index) => ({
    job_id: jobID,
    position: first + index,
    subject,
    name,
    input,
    before: null,
    after: null,
  }));
  await query.insertInto('job_row').values(rows).execute();
}

export async function countRows({ query }: Database, jobID: string): Promise<JobCounts> {
  const rows = await query
    .selectFrom('job_row')
    .select(['outcome', (eb) => eb.fn.countAll<number>().as('count')])
    .where('job_id', '=', jobID)
    .groupBy('outcome')
    .execute();
  const of = (outcome: RowOutcome) => Number(rows.find((row) => row.outcome === outcome)?.count ?? 0);
  return { done: of('DONE'), refused: of('REFUSED'), failed: of('FAILED') };
}

/** The progress of a job, as the runner counts it that has claimed the job. */
export async function storeCounts({ query }: Database, { id, epoch }: JobClaim, counts: JobCounts): Promise<void> {
  await query
    .updateTable('job')
    .set(counts)
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('state', '=', 'RUNNING')
    .execute();
}

/**
 * Ends a run: changes the state and stores the exact counts. No row gets an outcome afterwards; failed rows at `toRepeat`
 * wait again. Answers false like `changeState`.
 */
export async function endRun(
  database: Database,
  job: Parameters<typeof changeState>[1],
  from: readonly JobStateName[],
  changes: Parameters<typeof changeState>[3],
  toRepeat: readonly number[] = [],
): Promise<boolean> {
  return database.transaction(async () => {
    if (!(await changeState(database, job, from, changes))) return false;
    if (toRepeat.length > 0) await resetRows(database, job.id, toRepeat);
    const counts = await countRows(database, job.id);
    await database.query.updateTable('job').set(counts).where('id', '=', job.id).execute();
    return true;
  });
}

/** Rows that changed something, from a position on. */
export async function changedRows({ query }: Database, jobID: string, after: number, limit: number) {
  return query
    .selectFrom('job_row')
    .select(['position', 'subject', 'name', 'before', 'after'])
    .where('job_id', '=', jobID)
    .where('outcome', '=', 'DONE')
    .where('position', '>', after)
    .where('before', 'is not', null)
    .orderBy('position')
    .limit(limit)
    .execute();
}

/** The job that undoes another one, unless it was stopped. */
export async function undoingJob({ query }: Database, id: string): Promise<string | undefined> {
  const row = await query
    .selectFrom('job')
    .select('id')
    .where('undo_of', '=', id)
    .where('state', '!=', 'STOPPED')
    .executeTakeFirst();
  return row?.id;
}

/** Until when a job can be undone; undefined when it cannot. */
export function undoUntil(job: JobRecord, undoneBy: string | undefined): number | undefined {
  const canUndo = job.kind in jobKinds && jobKindFacts(job.kind as JobKindName).canUndo;
  const hasChanges = job.ended_at !== null && job.done > 0 && job.has_before;
  if (!canUndo || job.undo_of !== null || undoneBy !== undefined || !hasChanges) return undefined;
  return job.ended_at! + undoMs;
}

const timeOf = (ms: number | null | undefined) => (ms == null ? null : new Date(ms).toISOString());

/** As the API returns it. */
export function toJob(row: JobRecord, undoneBy: string | undefined, now: number): Job {
  const until = undoUntil(row, undoneBy);
  const { action } = JSON.parse(row.parameters) as { action?: Partial<JobAction> };
  return {
    id: row.id,
    organizationID: String(row.organization_id ?? 0),
    kind: row.kind as JobKindName,
    undoOf: row.undo_of ?? '',
    target: row.target,
    action: action ? complete(JobAction, action) : null,
    state: row.state,
    problem: row.problem,
    isPrepared: row.is_prepared,
    total: row.total,
    done: row.done,
    refused: row.refused,
    failed: row.failed,
    createdBy: row.created_by,
    createdAt: timeOf(row.created_at),
    startedAt: timeOf(row.started_at),
    endedAt: timeOf(row.ended_at),
    undoUntil: until !== undefined && until > now ? timeOf(until) : null,
    undoneBy: undoneBy ?? '',
  };
}
