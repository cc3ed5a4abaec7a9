import type { Job } from '@hilltop/contract';
import { IconListCheck } from '@tabler/icons-react';
import { query } from '../../api/queries.ts';
import { jobTitle, progressOf, resultSentence } from '../../components/job/job-words.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import type { Column } from '../../components/list/cells.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { paths } from '../../paths.ts';
import { JobState } from './job-state.tsx';

const columns: Column<Job, never>[] = [
  { header: 'Created', width: 120, card: 'plain', cell: ({ createdAt }) => <LastSeen at={createdAt} /> },
  {
    header: 'Job',
    primary: true,
    share: 2,
    cell: (job) => <AppLink to={paths.job(job.organizationID, job.id)}>{jobTitle(job)}</AppLink>,
  },
  { header: 'State', width: 110, card: 'aside', cell: (job) => <JobState job={job} /> },
  { header: 'Progress', align: 'right', card: 'plain', cell: (job) => (job.isPrepared ? `${progressOf(job)} %` : '–') },
  { header: 'Result', share: 2, card: 'folded', cell: (job) => <span>{resultSentence(job)}</span> },
  { header: 'Started by', card: 'folded', cell: ({ createdBy }) => <span>{createdBy}</span> },
];

/** Running and past jobs of an organization. */
export function JobList() {
  const { organizationID } = useIDs();
  return (
    <ResourceList
      label="Jobs"
      refreshMs={5_000}
      query={({ limit, offset }) => query('job', 'list', { organizationID, limit, offset })}
      rowKey={({ id }) => id}
      columns={columns}
      empty={{
        title: 'No jobs in the last 30 days',
        text: 'A job moves, tags, enables or deletes several devices or gateways, which were selected in a list.',
        icon: <IconListCheck size={32} />,
      }}
    />
  );
}
