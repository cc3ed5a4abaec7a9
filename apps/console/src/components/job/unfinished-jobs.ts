import type { Job } from '@hilltop/contract';
import { query } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';

/** The jobs of an organization that the top bar follows. */
export const unfinishedJobs = (organizationID: string) =>
  query('job', 'list', { organizationID, unfinished: true, limit: 20, offset: 0 });

/** Makes the top bar follow a job from its start: a short one may have ended before the next list is read. */
export function followJob(job: Job): void {
  const { queryKey } = unfinishedJobs(job.organizationID);
  queryClient.setQueryData<{ totalCount: string; result: Job[] }>(queryKey, (known) => ({
    totalCount: known?.totalCount ?? '1',
    result: [job, ...(known?.result ?? [])],
  }));
}
