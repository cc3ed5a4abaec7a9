import type { Replay } from '@hilltop/contract';
import { Alert, Button, Checkbox, Group, Paper, Progress, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconPlayerTrackNext } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { perform, query } from '../../api/queries.ts';
import { formatLong } from '../../components/last-seen/dates.ts';
import { LongDate } from '../../components/last-seen/long-date.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { DataTable, TableSkeleton } from '../../components/list/data-table.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { InlineError } from '../../components/states/states.tsx';
import { Status } from '../../components/status/status.tsx';
import { toast } from '../../components/toast/toast.ts';
import { type Delivered, gatewayEventsKind, subjectOf, useDelivered } from './delivered.ts';
import { eventTypes, gatewayEventTypes } from './event-types.ts';
import classes from './integration.module.css';

/** Replays past events of the event log. */
export function Replays() {
  const of = useDelivered();
  return (
    <Stack gap="md">
      <NewReplay of={of} />
      <Known of={of} />
    </Stack>
  );
}

const hourMs = 3_600_000;
/** A time for a datetime-local input, in the time zone of the browser. */
const local = (ms: number) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

interface ReplayFieldProps<Value> {
  value: Value;
  onChange: (value: Value) => void;
}

function TimeField({ label, value, onChange }: ReplayFieldProps<string> & { label: string }) {
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function EventTypesField({ types, value, onChange }: ReplayFieldProps<string[]> & { types: readonly string[] }) {
  return (
    <Checkbox.Group
      label="Types of events"
      description="All types when you choose none."
      value={value}
      onChange={onChange}
    >
      <Group gap="sm" mt="xs">
        {types.map((type) => (
          <Checkbox key={type} value={type} label={type} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}

function NewReplay({ of }: { of: Delivered }) {
  const [from, setFrom] = useState(() => local(Date.now() - hourMs));
  const [to, setTo] = useState(() => local(Date.now() + 60_000));
  const [devEUI, setDevEUI] = useState('');
  const [types, setTypes] = useState<string[]>([]);
  const { identifier, records } = subjectOf(of.kind);
  const isWrong = devEUI !== '' && !/^[0-9a-f]{16}$/i.test(devEUI);
  const range = () => ({
    ...of,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    devEUI: devEUI.toLowerCase(),
    eventTypes: types,
  });
  const count = useMutation({ mutationFn: () => api.delivery.startReplay({ ...range(), countOnly: true }) });
  const start = useMutation({
    mutationFn: () =>
      perform(api.delivery.startReplay(range()), { changed: ['delivery'], done: 'replay has been started' }),
    onSuccess: () => count.reset(),
  });
  const isReady = from !== '' && to !== '' && !isWrong;
  /** The selection has changed, so the count is outdated. */
  const changed = <T,>(set: (value: T) => void) => {
    return (value: T) => {
      set(value);
      count.reset();
    };
  };
  return (
    <Paper component="section" p="md">
      <Stack>
        <Title order={2}>Send again</Title>
        <Text c="dimmed">
          Sends stored past events again, in parallel with new events. The endpoint can recognize repeated events by
          their event ID.
        </Text>
        <div className={classes.range}>
          <TimeField label="From" value={from} onChange={changed(setFrom)} />
          <TimeField label="To" value={to} onChange={changed(setTo)} />
        </div>
        <TextInput
          label={identifier}
          description={`Empty for all ${records}.`}
          value={devEUI}
          error={isWrong && `${identifier} must be 8 bytes (16 hexadecimal digits).`}
          onChange={(event) => changed(setDevEUI)(event.currentTarget.value.trim())}
        />
        <EventTypesField
          types={of.kind === gatewayEventsKind ? gatewayEventTypes : eventTypes}
          value={types}
          onChange={changed(setTypes)}
        />
        <InlineError error={count.error ?? start.error} />
        {count.data && (
          <Alert role="status">
            {count.data.events === 1 ? '1 event' : `${count.data.events.toLocaleString('en')} events`} would be sent.
            {count.data.storedFrom && ` Stored events start at ${formatLong(count.data.storedFrom)} on.`}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" disabled={!isReady} loading={count.isPending} onClick={() => count.mutate()}>
            Count
          </Button>
          <Button
            disabled={!isReady || count.data === undefined || count.data.events === 0}
            loading={start.isPending}
            onClick={() => start.mutate()}
          >
            Start replay
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

const states = {
  RUNNING: <Status tone="attention">Running</Status>,
  DONE: <Status tone="active">Done</Status>,
  CANCELLED: <Status tone="never">Cancelled</Status>,
} as const;

function Known({ of }: { of: Delivered }) {
  const replays = useQuery({ ...query('delivery', 'listReplays', of), refetchInterval: 2_000 });
  const cancel = useMutation({
    mutationFn: ({ id }: Replay) =>
      perform(api.delivery.cancelReplay({ ...of, id }), { changed: ['delivery'], done: 'replay has been cancelled' }),
    onError: (error) => toast.error(explain(error)),
  });
  const columns: Column<Replay>[] = [
    { header: 'Started', fit: true, primary: true, cell: ({ createdAt }) => <LongDate at={createdAt} /> },
    { header: 'From', fit: true, card: 'folded', cell: ({ from }) => <LongDate at={from} /> },
    { header: 'To', fit: true, card: 'folded', cell: ({ to }) => <LongDate at={to} /> },
    { header: 'State', cell: ({ state }) => states[state] },
    { header: 'Sent', cell: (one) => <Sent replay={one} /> },
    {
      header: 'Cancel',
      hideHeader: true,
      align: 'right',
      width: 90,
      cell: (one) =>
        one.state === 'RUNNING' && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Cancel the replay of ${one.createdAt ? formatLong(one.createdAt) : 'no time'}`}
            onClick={() => cancel.mutate(one)}
          >
            Cancel
          </Button>
        ),
    },
  ];
  return (
    <section aria-labelledby="replays">
      <Title order={2} id="replays" mb="xs">
        Replays
      </Title>
      <Paper p={0}>
        <Loaded query={replays} skeleton={<TableSkeleton columns={columns} rows={2} />}>
          {({ result }) =>
            result.length === 0 ? (
              <EmptyState icon={<IconPlayerTrackNext size={32} />} title="No replays yet">
                Replays are listed here with their progress.
              </EmptyState>
            ) : (
              <DataTable label="Replays" columns={columns} rows={result} rowKey={({ id }) => id} />
            )
          }
        </Loaded>
      </Paper>
    </section>
  );
}

function Sent({ replay: { events, sent, failed } }: { replay: Replay }) {
  return (
    <div className={classes.progress}>
      <span className="number">
        {`${sent} of ${events}`}
        {failed > 0 && `, ${failed} failed`}
      </span>
      <Progress value={events === 0 ? 100 : (100 * (sent + failed)) / events} aria-label="Progress" size="sm" />
    </div>
  );
}
