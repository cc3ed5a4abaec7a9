import type { DeliveryAttempt } from '@hilltop/contract';
import { Button, CloseButton, Group, Stack, TextInput } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconSend } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { query } from '../../api/queries.ts';
import { Facts } from '../../components/facts/facts.tsx';
import { FilterChips } from '../../components/filter-chips/filter-chips.tsx';
import { formatLogTime } from '../../components/last-seen/dates.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { SidePanel } from '../../components/side-panel/side-panel.tsx';
import classes from './integration.module.css';
import { kindAt } from './kinds.ts';
import { Outcome, outcomes } from './outcome.tsx';
import { SendAgain } from './send-again.tsx';

const outcomeWords = Object.entries(outcomes).map(([name, { word }]) => [name, word] as const);

/** What was tried, as it happens. What is looked for stands in the address. */
export function Deliveries() {
  const { applicationID, kind: segment } = useIDs();
  const { kind } = kindAt(segment)!;
  const { filter, set } = useFilter();
  const [isPaused, setPaused] = useState(false);
  const [opened, setOpened] = useState<DeliveryAttempt | null>(null);
  const isFiltered = filter.outcome !== '' || filter.devEUI !== '';
  return (
    <>
      <ResourceList
        label="Deliveries"
        query={({ limit, offset }) => query('delivery', 'log', { applicationID, kind, limit, offset, ...filter })}
        rowKey={(one) => `${one.at} ${one.eventID} ${one.attempt} ${one.outcome}`}
        {...(!isPaused && { refreshMs: 2_000 })}
        toolbar={<Filter filter={filter} set={set} isPaused={isPaused} onPause={() => setPaused(!isPaused)} />}
        isFiltered={isFiltered}
        columns={[
          {
            header: 'Time',
            primary: true,
            cell: (one) => (
              <Button size="compact-sm" variant="subtle" ml={-8} onClick={() => setOpened(one)}>
                {one.at ? formatLogTime(one.at) : 'Unknown'}
              </Button>
            ),
          },
          { header: 'Outcome', cell: ({ outcome }) => <Outcome of={outcome} /> },
          { header: 'Event', cell: ({ eventType }) => eventType || '–' },
          { header: 'Device', cell: ({ devEUI }) => (devEUI ? <span className="identifier">{devEUI}</span> : '–') },
          { header: 'Status', align: 'right', cell: ({ status }) => status || '–' },
          { header: 'Took', align: 'right', cell: ({ milliseconds }) => `${milliseconds} ms` },
          { header: 'What happened', cell: ({ message }) => <span className={classes.message}>{message || '–'}</span> },
        ]}
        empty={{
          icon: <IconSend size={32} />,
          title: isFiltered ? 'Nothing found' : 'Nothing sent yet',
          text: isFiltered
            ? 'Of such tries none is kept.'
            : 'Each failure and at least one success a second are listed here as they happen.',
        }}
      />
      <SidePanel opened={opened !== null} onClose={() => setOpened(null)} title="Delivery">
        {opened && <Attempt key={opened.eventID} attempt={opened} of={{ applicationID, kind }} />}
      </SidePanel>
    </>
  );
}

interface Looked {
  outcome: string;
  devEUI: string;
}

function useFilter() {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const filter: Looked = {
    outcome: address['outcome'] !== undefined && address['outcome'] in outcomes ? address['outcome'] : '',
    devEUI: /^[0-9a-f]{16}$/.test(address['devEUI'] ?? '') ? address['devEUI']! : '',
  };
  const set = (change: Partial<Looked>) => {
    const { outcome, devEUI } = { ...filter, ...change };
    const search = { ...address, page: undefined, outcome: outcome || undefined, devEUI: devEUI || undefined };
    void navigate({ to: '.', replace: true, search });
  };
  return { filter, set };
}

interface FilterProps {
  filter: Looked;
  set: (change: Partial<Looked>) => void;
  isPaused: boolean;
  onPause: () => void;
}

function Filter({ filter: { outcome, devEUI }, set, isPaused, onPause }: FilterProps) {
  const [typed, setTyped] = useState(devEUI);
  const Icon = isPaused ? IconPlayerPlay : IconPlayerPause;
  return (
    <div className={classes.filter}>
      <FilterChips
        label="Outcome"
        all="All"
        names={outcomeWords}
        chosen={outcome}
        onChoose={(next) => set({ outcome: next })}
      />
      <Group gap="xs" wrap="nowrap">
        <TextInput
          size="xs"
          className={classes.search ?? ''}
          aria-label="Device EUI"
          placeholder="Device EUI"
          value={typed}
          onChange={(event) => {
            const text = event.currentTarget.value.replaceAll(/[^0-9a-f]/gi, '').toLowerCase();
            setTyped(text);
            if (text.length === 16 || text === '') set({ devEUI: text });
          }}
          rightSection={
            typed && (
              <CloseButton
                size="sm"
                aria-label="All devices"
                onClick={() => {
                  setTyped('');
                  set({ devEUI: '' });
                }}
              />
            )
          }
        />
        <Button variant="default" size="xs" leftSection={<Icon size={16} />} onClick={onPause}>
          {isPaused ? 'Go on' : 'Pause'}
        </Button>
      </Group>
    </div>
  );
}

function Attempt({ attempt, of }: { attempt: DeliveryAttempt; of: { applicationID: string; kind: string } }) {
  const {
    at,
    outcome,
    eventType,
    devEUI,
    eventID,
    status,
    message,
    milliseconds,
    attempt: count,
    bytes,
    excerpt,
  } = attempt;
  return (
    <Stack>
      <Facts
        facts={[
          ['Time', at && formatLogTime(at)],
          ['Outcome', <Outcome key="outcome" of={outcome} />],
          ['What happened', message],
          ['Event', eventType],
          ['Device', devEUI && <code key="device">{devEUI}</code>],
          ['Event ID', eventID && <code key="id">{eventID}</code>],
          ['Status', status || 'Nothing came back'],
          ['Took', `${milliseconds} ms`],
          ['Try', count],
          ['Sent', `${bytes} B`],
        ]}
      />
      {excerpt && (
        <div>
          <b>Answer</b>
          <pre className={classes.line}>{excerpt}</pre>
        </div>
      )}
      {eventID && outcome !== 'TEST' && <SendAgain of={of} eventID={eventID} />}
    </Stack>
  );
}
