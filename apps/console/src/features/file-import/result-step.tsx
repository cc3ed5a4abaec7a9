import type { FileImport, Job } from '@hilltop/contract';
import { Button, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { Loaded } from '../../components/states/loaded.tsx';
import { InlineError } from '../../components/states/states.tsx';
import { paths } from '../../paths.ts';
import { counted, many } from './import-words.ts';
import { ProblemRows } from './problem-rows.tsx';
import { useShowImport } from './use-import.ts';

const refreshMs = 1_000;
const hasEnded = ({ state }: Job) => state === 'DONE' || state === 'STOPPED';

const jobOf = (id: string) => ({
  ...query('job', 'get', { id }),
  refetchInterval: ({ state: { data } }: { state: { data?: { job: Job } | undefined } }) =>
    data && hasEnded(data.job) ? (false as const) : refreshMs,
});

/** The import while it runs, and its result. */
export function ResultStep({ found }: { found: FileImport }) {
  return <Loaded query={useQuery(jobOf(found.jobID))}>{({ job }) => <Result found={found} job={job} />}</Loaded>;
}

function Result({ found, job }: { found: FileImport; job: Job }) {
  const { organizationID } = useIDs();
  const { kind } = found;
  const show = useShowImport();
  const isOver = hasEnded(job);
  const isUndone = job.undoneBy !== '';
  useChanged(kind, job);
  const list = kind === 'DEVICES' ? paths.organizationDevices(organizationID) : paths.gateway.list(organizationID);
  const missing =
    (found.check?.problemCount ?? 0) + job.refused + job.failed + (job.total - job.done - job.refused - job.failed);
  return (
    <Paper component="section" aria-labelledby="import-result">
      <Title order={2} size="h3" id="import-result" mb="xs">
        {isOver ? 'Result' : 'Import'}
      </Title>
      <Stack>
        {!isOver && <Running job={job} kind={kind} />}
        {isOver && (
          <>
            <Text role="status">{resultText(kind, job, found)}</Text>
            {job.problem !== '' && <Text>{job.problem}</Text>}
            <Group>
              <LinkButton to={list}>Show {many(kind)}</LinkButton>
              <LinkButton variant="default" to={paths.job(organizationID, job.id)}>
                Show job
              </LinkButton>
              {job.undoUntil !== null && !isUndone && <Undo found={found} job={job} />}
              <Button variant="default" onClick={() => show(null)}>
                Import another file
              </Button>
            </Group>
            {isUndone && <Undoing id={job.undoneBy} kind={kind} />}
            {missing > 0 && <ProblemRows found={found} problemsOnly={false} />}
          </>
        )}
      </Stack>
    </Paper>
  );
}

/** Lists show the new records at once. */
function useChanged(kind: FileImport['kind'], job: Job): void {
  const isOver = hasEnded(job);
  useEffect(() => {
    const resource = kind === 'DEVICES' ? 'device' : 'gateway';
    if (isOver) void queryClient.invalidateQueries({ queryKey: [resource, 'list'] });
  }, [isOver, kind]);
}

function resultText(kind: FileImport['kind'], job: Job, { check }: FileImport): string {
  const { done, refused, failed } = job;
  const problems = (check?.problemCount ?? 0) + refused + failed;
  const waiting = job.total - done - refused - failed;
  const rows = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`;
  return [
    `${counted(done, kind)} imported.`,
    ...(problems > 0 ? [`${rows(problems)} not imported.`] : []),
    ...(job.state === 'STOPPED' && waiting > 0 ? [`Stopped before ${rows(waiting)}.`] : []),
  ].join(' ');
}

function Running({ job, kind }: { job: Job; kind: FileImport['kind'] }) {
  const [failure, setFailure] = useState<unknown>(null);
  const { id, done, refused, failed, total, state, problem } = job;
  const ran = done + refused + failed;
  const act = (call: Promise<unknown>) => void perform(call, { changed: ['job'] }).catch(setFailure);
  return (
    <>
      <Progress value={total === 0 ? 0 : (ran / total) * 100} aria-label="Progress" />
      <Text role="status">
        {state === 'WAITING' && 'Waiting for other jobs of the organization.'}
        {state === 'PAUSED' && `Paused: ${problem}`}
        {state === 'RUNNING' &&
          `${ran.toLocaleString('en')} of ${counted(total, kind)}. You may leave this page: the import goes on.`}
      </Text>
      <Group>
        {state === 'PAUSED' && <Button onClick={() => act(api.job.resume({ id }))}>Continue</Button>}
        <Button variant="default" onClick={() => act(api.job.stop({ id }))}>
          Stop
        </Button>
      </Group>
      <InlineError error={failure} />
    </>
  );
}

function Undo({ found: { kind }, job }: { found: FileImport; job: Job }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Undo
      </Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="Undo the import?"
        question={`The ${many(kind)} that it created are deleted, except those that were changed or have sent data since.`}
        action="Undo"
        onConfirm={async () => {
          await perform(api.job.undo({ id: job.id }), { changed: ['job'] });
          setOpen(false);
        }}
      />
    </>
  );
}

/** The job that undoes the import. */
function Undoing({ id, kind }: { id: string; kind: FileImport['kind'] }) {
  const undone = useQuery(jobOf(id));
  const announced = useRef('');
  const job = undone.data?.job;
  useEffect(() => {
    if (!job || !hasEnded(job) || announced.current === job.id) return;
    announced.current = job.id;
    void queryClient.invalidateQueries({ queryKey: [kind === 'DEVICES' ? 'device' : 'gateway', 'list'] });
  }, [job, kind]);
  if (!job) return null;
  const left = job.refused + job.failed;
  return (
    <Text role="status">
      {hasEnded(job)
        ? `Undone: ${counted(job.done, kind)} deleted${left > 0 ? `, ${counted(left, kind)} not deleted: changed or active since` : ''}.`
        : 'Undoing.'}
    </Text>
  );
}
