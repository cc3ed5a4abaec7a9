import { type ApiError, refusal } from '@hilltop/contract';
import type { Logger } from 'pino';
import { changesBetween } from '../../audit/changes.ts';
import { type AuditDependencies, auditActor, writeAudit } from '../../audit/write.ts';
import type { Database } from '../../database/database.ts';
import { isStorageFailure } from '../../database/storage-failure.ts';
import { toApiError } from '../../http/errors.ts';
import { checkAccess } from '../../identity/access.ts';
import type { CallerID, Principals } from '../../identity/principals.ts';
import type { JobKind, JobOrder, JobSubject, RowCall, RowCaller, RowChange } from './kind.ts';
import { isRunning, type JobClaim, type PendingRow, type RowOutcome, storeOutcome } from './store.ts';

export interface RowDependencies extends AuditDependencies {
  database: Database;
  principals: Pick<Principals, 'find'>;
  log: Logger;
}

/** A job that runs, with all that its rows share. */
export interface RunningJob extends JobClaim {
  readonly kind: JobKind;
  readonly order: JobOrder;
  readonly caller: CallerID;
  readonly createdBy: string;
  readonly isUndo: boolean;
  /** Rows that run at the same time share a transaction on PostgreSQL. Not with remote network servers: their calls end it. */
  readonly sharesTransactions: boolean;
}

/** `undefined`: the row was not run, because the job has been stopped or another runner has claimed it. */
export type RowResult = { outcome: RowOutcome; error?: ApiError } | undefined;

/** The row, or its job, is no longer to be run. Rolls back. */
class NotToRun extends Error {}

/** Runs one row. Its outcome is written in the transaction of its change. Throws only when the database is away. */
export async function runRow(needs: RowDependencies, job: RunningJob, row: PendingRow): Promise<RowResult> {
  const { database } = needs;
  const at = { jobID: job.id, position: row.position };
  const transaction = job.sharesTransactions ? database.sharedTransaction : database.transaction;
  try {
    await transaction(async () => {
      if (!(await isRunning(database, job))) throw new NotToRun();
      const change = await applyAudited(needs, job, row);
      if (!(await storeOutcome(database, at, { outcome: 'DONE', change }))) throw new NotToRun();
    });
    return { outcome: 'DONE' };
  } catch (error) {
    if (error instanceof NotToRun) return undefined;
    if (isStorageFailure(error)) throw error;
    const { outcome, refused } = outcomeOf(needs, job, row, error);
    const stored = { outcome, reason: refused.reason, message: refused.message };
    const isStored = await database.transaction(
      async () => (await isRunning(database, job)) && storeOutcome(database, at, stored),
    );
    return isStored ? { outcome, error: refused } : undefined;
  }
}

/** Changes the record, with an entry of the audit log. */
async function applyAudited(needs: RowDependencies, job: RunningJob, row: PendingRow): Promise<RowChange | undefined> {
  const caller = await callerOf(needs, job);
  const { subject, operation, fields, otherOrganizationID } = await job.kind.audit(row, job.order as never);
  const change = await apply(needs, job, { row, caller });
  const shown = job.isUndo ? undoneChange(row) : change;
  if (fields && !shown) return change;
  // The job logs one line for all its records.
  const { log: _, ...withoutLog } = needs;
  const organizationID = job.order.organizationID ?? 0;
  for (const one of new Set([organizationID, otherOrganizationID ?? organizationID]))
    await writeAudit(withoutLog, {
      actor: auditActor(caller.principal),
      address: '',
      organizationID: one,
      operation: job.isUndo ? 'job.undo' : operation,
      subject: { kind: subject, id: row.subject, name: row.name },
      ...(fields && { changes: changesBetween(fields, shown!.before as Members, shown!.after as Members) }),
      jobID: job.id,
    });
  return change;
}

type Members = Readonly<Record<string, unknown>>;

function undoneChange({ input }: PendingRow): RowChange {
  const { before, after } = JSON.parse(input) as RowChange;
  return { before: after, after: before };
}

/** Decides the rights of now, then changes the record. */
async function apply(
  needs: RowDependencies,
  job: RunningJob,
  { row, caller }: { row: PendingRow; caller: RowCaller },
): Promise<RowChange | undefined> {
  const { kind, order } = job;
  await checkCalls(needs, kind.access(row.subject, order as never), caller);
  if (!job.isUndo) return kind.run(row, order as never, caller);
  if (!kind.undo) throw refusal('JOB_NOT_UNDOABLE');
  return kind.undo({ ...row, ...(JSON.parse(row.input) as RowChange) }, order as never, caller);
}

/** The starter of a job with its rights of now. */
export async function callerOf(
  { principals }: Pick<RowDependencies, 'principals'>,
  { caller, createdBy }: Pick<RunningJob, 'caller' | 'createdBy'>,
): Promise<RowCaller> {
  const principal = await principals.find(caller);
  if (!principal) throw refusal('PERMISSION_DENIED');
  return { principal, by: createdBy };
}

export async function checkCalls(
  needs: Pick<RowDependencies, 'database'>,
  calls: readonly RowCall[],
  { principal }: RowCaller,
): Promise<void> {
  for (const { operation, request } of calls) await checkAccess(needs, operation, request, principal);
}

/** Statuses of failures. All others are refusals, which trying again does not change. */
const failures: readonly string[] = [
  'Unknown',
  'DeadlineExceeded',
  'ResourceExhausted',
  'Aborted',
  'Internal',
  'Unavailable',
  'DataLoss',
];

function outcomeOf(
  { log }: RowDependencies,
  job: RunningJob,
  row: JobSubject,
  error: unknown,
): { outcome: 'REFUSED' | 'FAILED'; refused: ApiError } {
  const operation = job.kind.access(row.subject, job.order as never)[0]?.operation;
  const refused = toApiError(error, operation);
  if (refused.reason === 'INTERNAL') log.error({ err: error, job: job.id, subject: row.subject }, 'a job row failed');
  return { outcome: failures.includes(refused.status) ? 'FAILED' : 'REFUSED', refused };
}
