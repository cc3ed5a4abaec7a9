import type { TrashEntry, TrashRefusal } from '@hilltop/contract';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { toast } from '../toast/toast.ts';
import { trashNouns } from './trash-words.ts';

/** Restores an entry and says so. Answers the records that were refused. */
export async function restoreEntry({
  id,
  kind,
}: Pick<TrashEntry, 'id' | 'kind'>): Promise<{ count: number; refused: readonly TrashRefusal[] }> {
  const { refusedCount, refused, jobID } = await perform(api.trash.restore({ id }), {
    changed: ['trash', 'device', 'gateway', 'application', 'organization', 'deviceProfile', 'serviceProfile', 'job'],
  });
  const done = `${trashNouns[kind]} has been restored`;
  if (refusedCount === 0) toast.success(jobID === '' ? done : `${done}, its devices follow in a job`);
  return { count: refusedCount, refused };
}
