import type { Job } from '@hilltop/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api } from '../../api/client.ts';
import { useOffered } from '../../api/use-offered.ts';
import { paths } from '../../paths.ts';
import { useMay, useSession } from '../../session/session.tsx';
import { AppLink } from '../link/link.tsx';
import { toast } from '../toast/toast.ts';
import classes from './job-progress.module.css';
import { jobTitle, progressOf, resultSentence } from './job-words.ts';
import { unfinishedJobs } from './unfinished-jobs.ts';

/** People wait for a short job. */
const shortMs = 300;
const mostOfShort = 1000;
const runningMs = 2_000;
const idleMs = 60_000;
const toastMs = 10_000;

/** The unfinished jobs of the current organization as a chip in the top bar, and a toast when one of mine ends. */
export function JobProgress() {
  const { organizationID } = useSession();
  const isOffered = useOffered('job', 'list', false);
  const may = useMay();
  if (organizationID === undefined || !isOffered || !may('job.list')) return null;
  return <Chip key={organizationID} organizationID={organizationID} />;
}

function Chip({ organizationID }: { organizationID: string }) {
  const { data } = useQuery({
    ...unfinishedJobs(organizationID),
    refetchInterval: ({ state }) => pauseBetween(state.data?.result ?? []),
  });
  const jobs = data?.result ?? [];
  useEndedJobs(data?.result);
  if (jobs.length === 0) return null;
  const isPaused = jobs.every(({ state }) => state === 'PAUSED');
  const known = jobs.filter(({ isPrepared }) => isPrepared);
  const total = known.reduce((sum, job) => sum + job.total, 0);
  const done = known.reduce((sum, job) => sum + job.done + job.refused + job.failed, 0);
  const percent = total === 0 ? 0 : Math.floor((100 * done) / total);
  const [first] = jobs;
  return (
    <AppLink
      className={classes.chip}
      to={jobs.length === 1 && first ? paths.job(organizationID, first.id) : paths.jobs(organizationID)}
      title={first && jobs.length === 1 ? `${jobTitle(first)}: ${progressOf(first)} %` : 'Running jobs'}
    >
      {jobs.length === 1 ? '1 job' : `${jobs.length} jobs`}, {isPaused ? 'paused' : `${percent} %`}
    </AppLink>
  );
}

function pauseBetween(jobs: readonly Job[]): number {
  if (jobs.length === 0) return idleMs;
  return jobs.some(({ total, state }) => total < mostOfShort && state !== 'PAUSED') ? shortMs : runningMs;
}

/** Says how the jobs of this user ended that were unfinished before, and reads again what they changed. */
function useEndedJobs(jobs: readonly Job[] | undefined): void {
  const { user } = useSession();
  const client = useQueryClient();
  const before = useRef<readonly Job[]>([]);
  useEffect(() => {
    if (!jobs) return;
    const ended = before.current.filter(({ id }) => !jobs.some((job) => job.id === id));
    before.current = jobs;
    if (ended.length === 0) return;
    void client.invalidateQueries();
    for (const { id, createdBy } of ended) if (createdBy === user.email) void tell(id);
  }, [jobs, client, user.email]);
}

async function tell(id: string): Promise<void> {
  try {
    const { job } = await api.job.get({ id });
    toast.success(
      <>
        {resultSentence(job)} <AppLink to={paths.job(job.organizationID, id)}>Show the job</AppLink>
      </>,
      toastMs,
    );
  } catch {
    // It was removed with its organization.
  }
}
