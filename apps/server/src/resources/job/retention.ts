import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';

const dayMs = 86_400_000;
const jobMs = 30 * dayMs;
const beforeMs = 7 * dayMs;
/** The most rows of an organization in all its jobs. */
const mostRows = 1_000_000;
const slice = 1000;

/** Removes old jobs with their rows, and what undo would need of jobs that cannot be undone any more. */
export async function removeOldJobs(database: Database, nowMs: number): Promise<void> {
  const { query } = database;
  const ended = query.selectFrom('job').select('id').where('state', 'in', ['DONE', 'STOPPED']);
  for (const { id } of await ended.where('ended_at', '<', nowMs - jobMs).execute()) await removeJob(database, id);
  const undoable = ended.where('has_before', '=', true).where('ended_at', '<', nowMs - beforeMs);
  for (const { id } of await undoable.execute()) {
    for await (const positions of slicesOf(database, id))
      await query
        .updateTable('job_row')
        .set({ before: null, after: null })
        .where('job_id', '=', id)
        .where('position', 'in', positions)
        .execute();
    await query.updateTable('job').set({ has_before: false }).where('id', '=', id).execute();
  }
  await removeSurplus(database);
}

/** The oldest jobs of organizations with too many rows. */
async function removeSurplus(database: Database): Promise<void> {
  const jobs = await database.query
    .selectFrom('job')
    .select(['id', 'organization_id', 'total', 'ended_at'])
    .orderBy('created_at', 'desc')
    .execute();
  const rows = new Map<number | null, number>();
  for (const { id, organization_id, total, ended_at } of jobs) {
    const sum = (rows.get(organization_id) ?? 0) + total + 1;
    rows.set(organization_id, sum);
    if (sum > mostRows && ended_at !== null) await removeJob(database, id);
  }
}

/** Removes all jobs of an organization, slice by slice: a cascade would hold up other writes. */
export async function removeJobsOfOrganization(database: Database, organizationID: number): Promise<void> {
  const jobs = database.query.selectFrom('job').select('id').where('organization_id', '=', organizationID);
  for (const { id } of await jobs.execute()) await removeJob(database, id);
}

async function removeJob(database: Database, id: string): Promise<void> {
  const { query } = database;
  // No instance runs it from now on.
  await query.updateTable('job').set({ state: 'STOPPED' }).where('id', '=', id).execute();
  for await (const positions of slicesOf(database, id)) await removePositions(database, id, positions);
  await query.deleteFrom('job').where('id', '=', id).execute();
}

export const removePositions = ({ query }: Database, jobID: string, positions: readonly number[]) =>
  query.deleteFrom('job_row').where('job_id', '=', jobID).where('position', 'in', positions).execute();

/** The positions of the rows of a job, slice by slice. */
export async function* slicesOf({ query }: Database, jobID: string): AsyncGenerator<number[]> {
  for (let after = -1; ; ) {
    const rows = await query
      .selectFrom('job_row')
      .select('position')
      .where('job_id', '=', jobID)
      .where('position', '>', after)
      .orderBy('position')
      .limit(slice)
      .execute();
    if (rows.length === 0) return;
    yield rows.map(({ position }) => position);
    after = rows.at(-1)!.position;
    await yieldToEventLoop();
  }
}
