import type { TrashEntry, TrashRefusal } from '@hilltop/contract';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { AppLink } from '../link/link.tsx';
import { toast } from '../toast/toast.ts';
import { trashNouns } from './trash-words.ts';

/** Restores an entry and says so. Answers the records that were refused. */
export async function restoreEntry({
  id,
  kind,
  organizationID,
}: Pick<TrashEntry, 'id' | 'kind' | 'organizationID'>): Promise<{ count: number; refused: readonly TrashRefusal[] }> {
  const { refusedCount, refused, jobID } = await perform(api.trash.restore({ id }), {
    changed: ['trash', 'device', 'gateway', 'application', 'organization', 'deviceProfile', 'serviceProfile', 'job'],
  });
  const done = `${trashNouns[kind]} has been restored`;
  if (refusedCount === 0)
    toast.success(jobID === '' ? done : <Following done={done} job={paths.job(organizationID, jobID)} />);
  return { count: refusedCount, refused };
}

/** The devices of a large entry are restored by a job. */
function Following({ done, job }: { done: string; job: string }) {
  return (
    <>
      {done}, its devices follow. <AppLink to={job}>Show the job</AppLink>
    </>
  );
}
