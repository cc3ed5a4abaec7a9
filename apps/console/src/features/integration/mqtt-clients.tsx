import type { Operations, ResponseOf } from '@hilltop/contract';
import { Button, Paper, Title } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { DataTable, TableSkeleton } from '../../components/list/data-table.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Loaded } from '../../components/states/loaded.tsx';

type Client = ResponseOf<Operations['mqtt']['listClients']>['result'][number];

/** The MQTT clients that are connected now. */
export function MQTTClients({ applicationID }: { applicationID: string }) {
  const clients = useQuery({ ...query('mqtt', 'listClients', { applicationID }), refetchInterval: 10_000 });
  const [leaving, setLeaving] = useState<Client | null>(null);
  const columns: Column<Client>[] = [
    { header: 'Client', primary: true, cell: ({ clientID }) => clientID || 'Without a name' },
    { header: 'Address', card: 'folded', cell: ({ address }) => <span className="identifier">{address}</span> },
    {
      header: 'Signed in by',
      card: 'folded',
      cell: ({ signedInBy }) => <span className="identifier">{signedInBy}</span>,
    },
    { header: 'Connected', width: 120, cell: ({ connectedAt }) => <LastSeen at={connectedAt} /> },
    { header: 'Delivered', align: 'right', cell: ({ delivered }) => delivered },
    { header: 'Dropped', align: 'right', cell: ({ dropped }) => dropped },
    {
      header: 'Disconnect',
      hideHeader: true,
      align: 'right',
      width: 110,
      cell: (client) => (
        <Button
          size="xs"
          variant="default"
          aria-label={`Disconnect ${client.clientID}`}
          onClick={() => setLeaving(client)}
        >
          Disconnect
        </Button>
      ),
    },
  ];
  return (
    <section aria-labelledby="clients">
      <Title order={2} id="clients" mb="xs">
        Connected clients
      </Title>
      <Paper p={0}>
        <Loaded query={clients} skeleton={<TableSkeleton columns={columns} rows={2} />}>
          {({ result }) =>
            result.length === 0 ? (
              <EmptyState icon={<IconPlugConnected size={32} />} title="No program is connected">
                Programs that are connected with a certificate or an API key of this application are listed here.
              </EmptyState>
            ) : (
              <DataTable label="Connected clients" columns={columns} rows={result} rowKey={({ id }) => id} />
            )
          }
        </Loaded>
      </Paper>
      <ConfirmDialog
        opened={leaving !== null}
        onClose={() => setLeaving(null)}
        title="Disconnect?"
        question="The program is disconnected but can connect again. Revoke its certificate to block it."
        name={leaving?.clientID ?? ''}
        action="Disconnect"
        onConfirm={() =>
          perform(api.mqtt.disconnectClient({ applicationID, id: leaving?.id ?? '' }), {
            changed: ['mqtt'],
            done: 'client has been disconnected',
          })
        }
      />
    </section>
  );
}
