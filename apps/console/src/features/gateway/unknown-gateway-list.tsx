import type { UnknownGateway } from '@hilltop/contract';
import { Paper, Text } from '@mantine/core';
import { IconRouter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { Identifier } from '../../components/copy/copy.tsx';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import type { Column } from '../../components/list/cells.tsx';
import { DataTable } from '../../components/list/data-table.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { linkWords } from './link-words.ts';

const refreshMs = 10_000;

/** Gateways that have connected within the last hour and that are not registered. */
export function UnknownGatewayList() {
  const { organizationID } = useIDs();
  const mayRegister = useMay()('gateway.create');
  const unknown = useQuery({
    ...query('connecting', 'listUnknown', { organizationID }),
    refetchInterval: refreshMs,
    staleTime: 0,
  });
  return (
    <Loaded query={unknown}>
      {({ result }) => (
        <>
          <Text c="dimmed" mb="sm">
            Hilltop drops their frames until you register them. Gateways of others that use this server appear here too.
          </Text>
          <Paper>
            {result.length === 0 ? (
              <EmptyState icon={<IconRouter size={32} />} title="No unregistered gateways">
                A gateway is listed for an hour after it has tried to connect.
              </EmptyState>
            ) : (
              <DataTable<UnknownGateway>
                label="Unregistered gateways"
                columns={columnsOf(organizationID, mayRegister)}
                rows={[...result]}
                rowKey={({ id }) => id}
              />
            )}
          </Paper>
        </>
      )}
    </Loaded>
  );
}

const columnsOf = (organizationID: string, mayRegister: boolean): Column<UnknownGateway>[] => [
  { header: 'Gateway ID', primary: true, fit: true, cell: ({ id }) => <Identifier value={id} /> },
  { header: 'By', card: 'plain', cell: ({ link }) => linkWords[link] },
  { header: 'Last connection attempt', width: 190, card: 'plain', cell: ({ lastAt }) => <LastSeen at={lastAt} /> },
  { header: 'Times', align: 'right', cell: ({ times }) => times.toLocaleString('en') },
  {
    header: 'Register',
    hideHeader: true,
    align: 'right',
    cell: ({ id }) =>
      mayRegister && (
        <LinkButton
          size="xs"
          variant="default"
          aria-label={`Register ${id}`}
          to={paths.gatewayConnect(organizationID)}
          search={{ eui: id } as never}
        >
          Register
        </LinkButton>
      ),
  },
];
