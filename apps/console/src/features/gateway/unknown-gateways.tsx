import type { UnknownGateway } from '@hilltop/contract';
import { Button, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { Identifier } from '../../components/copy/copy.tsx';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { DataTable } from '../../components/list/data-table.tsx';
import { linkWords } from './link-words.ts';

const refreshMs = 3_000;

interface Props {
  chosen: string;
  onChoose: (id: string) => void;
}

/** Gateways that send here already and that nobody has registered: a click takes their EUI over. */
export function UnknownGateways({ chosen, onChoose }: Props) {
  const { organizationID } = useIDs();
  const { data } = useQuery({
    ...query('connecting', 'listUnknown', { organizationID }),
    refetchInterval: refreshMs,
    staleTime: 0,
  });
  const unknown = data?.result ?? [];
  if (unknown.length === 0) return null;
  return (
    <Paper component="section" aria-labelledby="unknown-gateways" mb="md" maw={720}>
      <Title order={2} size="h3" id="unknown-gateways">
        Gateways that send here already
      </Title>
      <Text c="dimmed" mb="xs">
        Nobody has registered them, so what they send is dropped.
      </Text>
      <DataTable<UnknownGateway>
        label="Gateways that send here already"
        columns={[
          { header: 'Gateway ID', primary: true, cell: ({ id }) => <Identifier value={id} /> },
          { header: 'By', card: 'plain', cell: ({ link }) => linkWords[link] },
          { header: 'Last heard', card: 'plain', cell: ({ lastAt }) => <LastSeen at={lastAt} /> },
          { header: 'Times', cell: ({ times }) => times },
          {
            header: 'Register',
            hideHeader: true,
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
        ]}
        rows={unknown}
        rowKey={({ id }) => id}
      />
    </Paper>
  );
}
