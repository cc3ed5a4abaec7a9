import type { Job, JobOutcomeName, JobRow } from '@hilltop/contract';
import { Alert, Button, NativeSelect, Progress, Stack } from '@mantine/core';
import { IconArrowBackUp, IconDownload, IconListCheck, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { perform, query } from '../../api/queries.ts';
import { startDownload } from '../../components/download/start-download.ts';
import { FactCard } from '../../components/facts/facts.tsx';
import { jobTitle, outcomeWords, progressOf, resultSentence } from '../../components/job/job-words.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink } from '../../components/link/link.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { Status } from '../../components/status/status.tsx';
import { toast } from '../../components/toast/toast.ts';
import { paths } from '../../paths.ts';
import { useMay, useSession } from '../../session/session.tsx';
import { JobState } from './job-state.tsx';

const runningMs = 1_000;

/** A job: who started what, how far it is, and the outcome of each record. */
export function JobPage() {
  const { organizationID = '', jobID = '' } = useParams({ strict: false }) as Record<string, string>;
  const job = useQuery({
    ...query('job', 'get', { id: jobID }),
    refetchInterval: ({ state }) => (state.data?.job.endedAt ? false : runningMs),
  });
  return (
    <Loaded isPage query={job}>
      {({ job: found }) => <Content job={found} organizationID={organizationID} />}
    </Loaded>
  );
}

function Content({ job, organizationID }: { job: Job; organizationID: string }) {
  return (
    <Stack gap="md">
      <PageHeader
        crumbs={[{ label: 'Jobs', to: paths.jobs(organizationID) }]}
        title={jobTitle(job)}
        badges={<JobState job={job} />}
        actions={<JobButtons job={job} organizationID={organizationID} />}
      />
      {job.problem !== '' && (
        <Alert color="yellow" title={job.state === 'PAUSED' ? 'Paused' : 'Stopped'} role="alert">
          {job.problem}
        </Alert>
      )}
      {!job.endedAt && <Progress value={progressOf(job)} aria-label="Progress" />}
      <JobFacts job={job} organizationID={organizationID} />
      <JobRows job={job} />
    </Stack>
  );
}

function JobFacts({ job, organizationID }: { job: Job; organizationID: string }) {
  const linked = (id: string) => id !== '' && <AppLink to={paths.job(organizationID, id)}>Show the job</AppLink>;
  return (
    <FactCard
      title="Details"
      facts={[
        ['Records', job.isPrepared ? job.total.toLocaleString('en') : 'Being selected'],
        ['Result', resultSentence(job)],
        ['Started by', job.createdBy],
        ['Created', <LastSeen key="created" at={job.createdAt} />],
        ['Ended', job.endedAt && <LastSeen key="ended" at={job.endedAt} />],
        ...(job.undoOf === '' ? [] : [['Undoes', linked(job.undoOf)] as const]),
        ...(job.undoneBy === '' ? [] : [['Undone by', linked(job.undoneBy)] as const]),
      ]}
    />
  );
}

/** The starter and administrators may change a job. */
function JobButtons({ job, organizationID }: { job: Job; organizationID: string }) {
  const may = useMay();
  const { user } = useSession();
  const navigate = useNavigate();
  const [isPending, setPending] = useState(false);
  const isMine = job.createdBy === user.email;
  const { id } = job;

  async function act(call: () => Promise<unknown>) {
    setPending(true);
    try {
      await call();
    } catch (error) {
      toast.error(explain(error));
    } finally {
      setPending(false);
    }
  }
  const undo = async () => {
    const { job: undoing } = await perform(api.job.undo({ id }), { changed: ['job'] });
    await navigate({ to: paths.job(organizationID, undoing.id) });
  };
  if (!may('job.stop', organizationID) && !isMine) return null;
  return (
    <>
      {job.state === 'PAUSED' && (
        <Button
          leftSection={<IconPlayerPlay size={16} />}
          loading={isPending}
          onClick={() => void act(() => perform(api.job.resume({ id }), { changed: ['job'] }))}
        >
          Resume
        </Button>
      )}
      {!job.endedAt && (
        <Button
          variant="default"
          leftSection={<IconPlayerStop size={16} />}
          loading={isPending}
          onClick={() => void act(() => perform(api.job.stop({ id }), { changed: ['job'] }))}
        >
          Stop
        </Button>
      )}
      {job.undoUntil && (
        <Button
          variant="default"
          leftSection={<IconArrowBackUp size={16} />}
          loading={isPending}
          title="Puts back what this job has changed and nobody has changed since"
          onClick={() => void act(undo)}
        >
          Undo
        </Button>
      )}
    </>
  );
}

/** What exists no more has no link. */
function addressOf({ subject, organizationID, applicationID }: JobRow): string | undefined {
  if ((organizationID ?? '0') === '0') return undefined;
  if (applicationID === '0') return paths.gateway.one(organizationID, subject);
  return paths.device.one(organizationID, applicationID, subject);
}

const columns: Column<JobRow, never>[] = [
  {
    header: 'Name',
    primary: true,
    cell: (row) => {
      const to = addressOf(row);
      const name = row.name || row.subject;
      return to === undefined ? <span>{name}</span> : <AppLink to={to}>{name}</AppLink>;
    },
  },
  { header: 'ID', fit: true, card: 'plain', cell: ({ subject }) => <code>{subject}</code> },
  {
    header: 'Outcome',
    width: 110,
    card: 'aside',
    cell: ({ outcome }) => <Status tone={outcomeWords[outcome].tone}>{outcomeWords[outcome].word}</Status>,
  },
  { header: 'Reason', share: 3, card: 'folded', cell: ({ message }) => <span>{message}</span> },
];

const shown = [
  { value: '', label: 'All outcomes' },
  { value: 'DONE', label: 'Done' },
  { value: 'REFUSED', label: 'Refused' },
  { value: 'FAILED', label: 'Failed' },
  { value: 'WAITING', label: 'Waiting' },
];

function JobRows({ job: { id, endedAt } }: { job: Job }) {
  const [outcome, setOutcome] = useState<'' | JobOutcomeName>('');
  return (
    <ResourceList
      label="Records"
      {...(!endedAt && { refreshMs: 2_000 })}
      query={({ limit, offset }) => query('job', 'listRows', { id, outcome, limit, offset })}
      rowKey={({ position }) => String(position)}
      columns={columns}
      isFiltered
      toolbar={
        <>
          <NativeSelect
            aria-label="Outcome"
            data={shown}
            value={outcome}
            onChange={(event) => setOutcome(event.currentTarget.value as typeof outcome)}
          />
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() => void startDownload('JOB_ROWS', 'CSV', { id, outcome })}
          >
            CSV
          </Button>
        </>
      }
      empty={{
        title: outcome === '' ? 'No records' : 'No records with this outcome',
        text: 'Each record of the job is listed here with its outcome.',
        icon: <IconListCheck size={32} />,
      }}
    />
  );
}
