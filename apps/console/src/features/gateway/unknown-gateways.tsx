import type { UnknownGateway } from '@hilltop/contract';
import { Button, Group, Paper, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../../api/queries.ts';
import { Identifier } from '../../components/copy/copy.tsx';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import type { Column } from '../../components/list/cells.tsx';
import { DataTable } from '../../components/list/data-table.tsx';
import { linkWords } from './link-words.ts';

const refreshMs = 3_000;
/** More rows would push the form out of view. */
const mostShown = 6;

interface Props {
  chosen: string;
  onChoose: (id: string) => void;
}

function columnsOf(chosen: string, onChoose: (id: string) => void): Column<UnknownGateway>[] {
  return [
    { header: 'Gateway ID', fit: true, primary: true, cell: ({ id }) => <Identifier value={id} /> },
    { header: 'By', card: 'plain', cell: ({ link }) => linkWords[link] },
    {
      header: 'Last connection attempt',
      width: 190,
      card: 'plain',
      cell: ({ lastAt }) => <LastSeen at={lastAt} />,
    },
    { header: 'Times', align: 'right', cell: ({ times }) => times },
    {
      header: 'Register',
      hideHeader: true,
      align: 'right',
      cell: ({ id }) => (
        <Button
          size="xs"
          variant="default"
          aria-label={`Register ${id}`}
          disabled={chosen === id}
          onClick={() => onChoose(id)}
        >
          {chosen === id ? 'Chosen' : 'Register'}
        </Button>
      ),
    },
  ];
}

/** Unregistered gateways that already send to this server: a click copies the EUI into the form. Without any, a hint. */
export function UnknownGateways({ chosen, onChoose }: Props) {
  const { organizationID } = useIDs();
  const { data } = useQuery({
    ...query('connecting', 'listUnknown', { organizationID }),
    refetchInterval: refreshMs,
    staleTime: 0,
  });
  const [wanted, setWanted] = useState('');
  const [isReopened, setReopened] = useState(false);
  // Ordered by first message, not by last: no row moves while a user is about to press it.
  const unknown = (data?.result ?? []).toSorted((a, b) => (b.firstAt ?? '').localeCompare(a.firstAt ?? ''));
  if (unknown.length === 0)
    return (
      <Text c="dimmed" mb="md">
        A gateway that already sends to this server appears here. Otherwise enter its ID: the next step shows how to
        configure it.
      </Text>
    );
  // The form is the next step: the list makes room for it.
  if (!isReopened && unknown.some(({ id }) => id === chosen)) {
    return (
      <Group mb="md" gap="xs">
        <Text>
          Chosen: <Identifier value={chosen} />
        </Text>
        {unknown.length > 1 && (
          <Button size="compact-sm" variant="subtle" onClick={() => setReopened(true)}>
            Choose another gateway
          </Button>
        )}
      </Group>
    );
  }
  const found = unknown.filter(({ id }) => id.includes(wanted.replaceAll(/[^0-9a-f]/gi, '').toLowerCase()));
  const shown = found.slice(0, mostShown);
  return (
    <Paper component="section" aria-labelledby="unknown-gateways" mb="md">
      <Title order={2} size="h3" id="unknown-gateways">
        Unregistered gateways that already connect
      </Title>
      <Text c="dimmed" mb="xs">
        Hilltop drops their frames until you register them.
      </Text>
      {unknown.length > mostShown && (
        <TextInput
          label="Gateway ID contains"
          size="xs"
          mb="xs"
          maw={280}
          value={wanted}
          onChange={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      )}
      <DataTable<UnknownGateway>
        label="Unregistered gateways that already connect"
        columns={columnsOf(chosen, (id) => {
          setReopened(false);
          onChoose(id);
        })}
        rows={shown}
        rowKey={({ id }) => id}
      />
      {(shown.length < unknown.length || wanted !== '') && (
        <Text c="dimmed" size="sm" mt="xs" role="status">
          {shown.length} of {unknown.length}, the newest first
        </Text>
      )}
    </Paper>
  );
}
