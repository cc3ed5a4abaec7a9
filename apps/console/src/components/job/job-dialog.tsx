import type { InputOf, JobKindName, operations } from '@hilltop/contract';
import { jobKindFacts } from '@hilltop/contract/jobs';
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { AppLink } from '../link/link.tsx';
import type { Selection } from '../list/use-selection.tsx';
import { ErrorState, InlineError } from '../states/states.tsx';
import { toast } from '../toast/toast.ts';
import type { JobActionInput } from './job-action.ts';
import { JobActionForm } from './job-action-form.tsx';
import { countedRecords, rehearsalSentence } from './job-words.ts';
import { RefusedRecords } from './refused-records.tsx';
import { selectedRecords } from './selected-records.ts';
import { followJob } from './unfinished-jobs.ts';

type JobRequest = InputOf<typeof operations.job.create>;

type SelectedRecords = Pick<Selection<unknown>, 'chosen' | 'matching' | 'count' | 'drop'>;

interface Props {
  kind: JobKindName;
  selection: SelectedRecords;
  scope: { organizationID: string; applicationID?: string };
  onClose: () => void;
}

/** More deletions than this want their number typed. */
const mostUntyped = 100;
const typingMs = 400;

/** Unlike `crypto.randomUUID`, this also works on pages without HTTPS. */
const newRequestID = () => Array.from({ length: 4 }, () => Math.random().toString(36).slice(2, 10)).join('');

/** Chooses what a job sets, shows what would be refused, and starts it. */
export function JobDialog({ kind, ...props }: Props) {
  return (
    <Modal opened onClose={props.onClose} title={jobKindFacts(kind).label} size="lg">
      <JobForm kind={kind} {...props} />
    </Modal>
  );
}

function JobForm({ kind, selection, scope, onClose }: Props) {
  const [action, setAction] = useState<JobActionInput | null>(jobKindFacts(kind).uses?.length === 0 ? {} : null);
  const [requestID] = useState(newRequestID);
  const [typed, setTyped] = useState('');
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [settled] = useDebouncedValue(action, typingMs);
  const request = requestOf(kind, action, { selection, scope });
  const rehearsal = useQuery({
    ...query('job', 'create', { ...requestOf(kind, settled, { selection, scope }), validateOnly: true }),
    enabled: settled !== null,
    retry: false,
  });
  const isCurrent = settled === action && action !== null;
  const found = isCurrent && !rehearsal.isFetching ? rehearsal.data : undefined;
  const accepted = found?.acceptedCount ?? 0;
  const mustType = kind.startsWith('DELETE') && accepted > mostUntyped;
  const isDangerous = kind.startsWith('DELETE');

  async function start(event: FormEvent) {
    event.preventDefault();
    setPending(true);
    setFailure(null);
    try {
      const started = api.job.create({ ...request, requestID }).then((answer) => {
        if (answer.job) followJob(answer.job);
        return answer;
      });
      const { job } = await perform(started, { changed: ['job'] });
      selection.drop();
      onClose();
      toast.success(<StartedText organizationID={scope.organizationID} id={job?.id ?? ''} />);
    } catch (error) {
      setFailure(error);
      setPending(false);
    }
  }

  return (
    <form onSubmit={(event) => void start(event)}>
      <Stack gap="sm">
        <JobActionForm kind={kind} scope={scope} rehearsal={found} onChange={setAction} />
        {isCurrent && rehearsal.error && <ErrorState error={rehearsal.error} retry={() => void rehearsal.refetch()} />}
        <output>
          <Text fw={600}>
            {sentenceOf(kind, selection.count, { isAsked: action !== null, found, error: rehearsal.error })}
          </Text>
        </output>
        {found && <RefusedRecords refused={found.refused} />}
        {isDangerous && found && (
          <Text c="dimmed">Deleted records can be restored from the trash while it keeps them.</Text>
        )}
        {mustType && (
          <TextInput
            label={`Type ${accepted} to confirm`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            inputMode="numeric"
          />
        )}
        <InlineError error={failure} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={isPending}>
            Cancel
          </Button>
          <Button
            type="submit"
            {...(isDangerous && { color: 'red' })}
            loading={isPending}
            disabled={accepted === 0 || (mustType && typed.replaceAll(/\D/g, '') !== String(accepted))}
          >
            {accepted > 0 ? `Start with ${countedRecords(kind, accepted)}` : 'Start'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function sentenceOf(
  kind: JobKindName,
  count: number,
  {
    isAsked,
    found,
    error,
  }: { isAsked: boolean; found: { count: number; acceptedCount: number } | undefined; error: unknown },
): string {
  if (found) return rehearsalSentence(kind, found.count, found.acceptedCount);
  if (!isAsked || error) return `${countedRecords(kind, count)} selected.`;
  return `Checking ${countedRecords(kind, count)} ...`;
}

function StartedText({ organizationID, id }: { organizationID: string; id: string }) {
  return (
    <>
      The job has started. <AppLink to={paths.job(organizationID, id)}>Show it</AppLink>
    </>
  );
}

function requestOf(
  kind: JobKindName,
  action: JobActionInput | null,
  { selection, scope }: Pick<Props, 'selection' | 'scope'>,
): JobRequest {
  const { organizationID } = scope;
  return { organizationID, kind, action: action ?? {}, selection: selectedRecords(selection, scope) };
}
