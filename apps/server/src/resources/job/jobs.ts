import { type JobKindName, refusal } from '@hilltop/contract';
import { auditUnchanged } from '../../audit/transactions.ts';
import type { Database } from '../../database/database.ts';
import { nameOf } from '../../identity/name-of.ts';
import type { CallerID, Principal } from '../../identity/principals.ts';
import { JobRunner, type RunnerDependencies } from './job-runner.ts';
import type { JobKinds, JobOrder } from './kind.ts';
import {
  changeState,
  endRun,
  insertJob,
  type JobRecord,
  loadJob,
  undoingJob,
  undoUntil,
  unfinishedStates,
} from './store.ts';

export interface JobsDependencies extends RunnerDependencies {
  metrics: RunnerDependencies['metrics'] & { gauge: (name: string, help: string, read: () => number) => void };
}

export interface NewJob extends JobOrder {
  readonly kind: JobKindName;
  /** A second job of the same caller with this id is the first one. */
  readonly requestID?: string;
}

/** Creates jobs, and runs them while this instance has the lease. */
export interface Jobs {
  readonly kinds: JobKinds;
  /** Throws code 9 when the organization has too many unfinished jobs. */
  create: (job: NewJob, by: NonNullable<Principal>) => Promise<JobRecord>;
  stop: (id: string) => Promise<void>;
  resume: (id: string) => Promise<void>;
  /** Creates the job that undoes another one. */
  undo: (id: string, by: NonNullable<Principal>) => Promise<JobRecord>;
  /** Runs the jobs of all instances, from now until it is stopped. */
  running: { start: () => void; stop: () => Promise<void> };
}

/** Unfinished jobs of an organization. */
const mostUnfinished = 20;

export function createJobs(needs: JobsDependencies, kinds: JobKinds): Jobs {
  const { database, clock } = needs;
  const runner = new JobRunner(needs, kinds);
  needs.metrics.gauge('jobs_running', 'Jobs that this instance runs.', () => runner.running);
  const now = () => clock.now().getTime();

  async function create(job: NewJob, by: NonNullable<Principal>, undoOf?: JobRecord): Promise<JobRecord> {
    const caller: CallerID = { kind: by.kind, id: by.id };
    const order: JobOrder = { organizationID: job.organizationID, parameters: job.parameters };
    const target =
      undoOf?.target ?? (await kinds[job.kind]!.check?.(order as never, { principal: by, by: nameOf(by) }));
    const id = crypto.randomUUID();
    const record = await database.transaction(async () => {
      const known = await jobOfRequest(database, caller, job.requestID);
      if (known) {
        if (known.kind !== job.kind || known.parameters !== JSON.stringify(job.parameters))
          throw refusal('JOB_REQUEST_USED');
        auditUnchanged();
        return known;
      }
      await checkUnfinished(database, job.organizationID);
      if (undoOf) await checkFirstUndo(database, undoOf.id);
      await insertJob(database, {
        id,
        organization_id: job.organizationID,
        kind: job.kind,
        parameters: JSON.stringify(job.parameters),
        target: target ?? '',
        undo_of: undoOf?.id ?? null,
        request_id: job.requestID || null,
        caller_kind: by.kind,
        caller_id: by.id,
        created_by: nameOf(by),
        state: 'WAITING',
        created_at: now(),
        started_at: null,
        ended_at: null,
      });
      return loadJob(database, id);
    });
    if (record.id === id) needs.log.info({ job: id, kind: job.kind, by: nameOf(by) }, 'a job was created');
    runner.look();
    return record;
  }

  return {
    kinds,
    create,
    stop: async (id) => {
      await loadJob(database, id);
      if (!(await endRun(database, { id }, unfinishedStates, { state: 'STOPPED', ended_at: now() })))
        throw refusal('JOB_ENDED');
    },
    resume: async (id) => {
      await loadJob(database, id);
      if (!(await changeState(database, { id }, ['PAUSED'], { state: 'WAITING', problem: '' })))
        throw refusal('JOB_NOT_PAUSED');
      runner.look();
    },
    undo: async (id, by) => {
      const job = await loadJob(database, id);
      const until = undoUntil(job, await undoingJob(database, id));
      if (until === undefined || until <= now()) throw refusal('JOB_NOT_UNDOABLE');
      const parameters: unknown = JSON.parse(job.parameters);
      return create({ kind: job.kind as JobKindName, organizationID: job.organization_id, parameters }, by, job);
    },
    running: { start: () => runner.start(), stop: () => runner.stop() },
  };
}

/** The job that the same caller has created with the same request, if any. */
async function jobOfRequest(
  { query }: Database,
  { kind, id }: CallerID,
  requestID: string | undefined,
): Promise<JobRecord | undefined> {
  if (!requestID) return undefined;
  return query
    .selectFrom('job')
    .selectAll()
    .where('caller_kind', '=', kind)
    .where('caller_id', '=', id)
    .where('request_id', '=', requestID)
    .executeTakeFirst();
}

/** Locks the job that is undone: one of several calls at the same time creates the undo. */
async function checkFirstUndo(database: Database, id: string): Promise<void> {
  await database.query
    .updateTable('job')
    .set((eb) => ({ has_before: eb.ref('has_before') }))
    .where('id', '=', id)
    .execute();
  if (await undoingJob(database, id)) throw refusal('JOB_NOT_UNDOABLE');
}

async function checkUnfinished({ query }: Database, organizationID: number | null): Promise<void> {
  const rows = await query
    .selectFrom('job')
    .select('id')
    .where('organization_id', organizationID === null ? 'is' : '=', organizationID)
    .where('state', 'in', unfinishedStates)
    .limit(mostUnfinished)
    .execute();
  if (rows.length === mostUnfinished) throw refusal('TOO_MANY_JOBS', { most: mostUnfinished });
}
