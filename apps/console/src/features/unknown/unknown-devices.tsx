import type { UnknownDevice } from '@hilltop/contract';
import { unknownDeviceDays } from '@hilltop/contract';
import { Button, Group, Text } from '@mantine/core';
import { IconRadar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { Identifier } from '../../components/copy/copy.tsx';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import type { Column } from '../../components/list/cells.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { formatRSSI } from '../../components/live-log/radio.ts';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';

const refreshMs = 10_000;

/** Devices whose join-requests the gateways of the organization receive and that are not registered. */
export function UnknownDevices() {
  const { organizationID } = useIDs();
  const mayAdd = useMay()('firstSteps.addDevice');
  const { data } = useQuery(query('unknownDevice', 'list', { organizationID, limit: 0, offset: 0 }));
  const others = Number(data?.others ?? 0);
  return (
    <>
      <Text c="dimmed" mb="sm">
        Devices of neighbours appear here too. Registering one needs its key.
      </Text>
      <ResourceList
        label="Unregistered devices"
        query={({ limit, offset, search }) => query('unknownDevice', 'list', { organizationID, limit, offset, search })}
        columns={columnsOf(organizationID, mayAdd)}
        rowKey={({ devEUI }) => devEUI}
        search="Search by device EUI or join EUI"
        refreshMs={refreshMs}
        empty={{
          icon: <IconRadar size={32} />,
          title: data?.isEnabled === false ? 'Unregistered devices are not stored' : 'No unregistered devices',
          text:
            data?.isEnabled === false
              ? 'The operator has switched this off (HILLTOP_LIST_UNREGISTERED).'
              : `A device is listed when a gateway of this organization receives its join-request, for ${unknownDeviceDays} days.`,
        }}
      />
      {others > 0 && (
        <Text c="dimmed" size="sm" mt="xs">
          And {others.toLocaleString('en')} join-requests of more devices than are stored.
        </Text>
      )}
    </>
  );
}

function columnsOf(organizationID: string, mayAdd: boolean): Column<UnknownDevice, never>[] {
  return [
    { header: 'Device EUI', primary: true, fit: true, cell: ({ devEUI }) => <Identifier value={devEUI} /> },
    { header: 'Join EUI', fit: true, card: 'folded', cell: ({ joinEUI }) => <Identifier value={joinEUI} /> },
    { header: 'Last received', width: 120, card: 'plain', cell: ({ lastAt }) => <LastSeen at={lastAt} /> },
    { header: 'Times', align: 'right', cell: ({ times }) => times.toLocaleString('en') },
    { header: 'Best gateway', minWidth: 160, card: 'folded', cell: (device) => <BestGateway {...device} /> },
    {
      header: 'RSSI',
      align: 'right',
      card: 'folded',
      cell: ({ gateways: [best] }) => best && `${formatRSSI(best.rssi)} dBm`,
    },
    { header: 'Gateways', align: 'right', card: 'folded', cell: ({ gateways }) => gateways.length },
    { header: 'Region', fit: true, card: 'folded', cell: ({ region }) => region },
    {
      header: 'Register or hide',
      hideHeader: true,
      fit: true,
      cell: ({ devEUI, networkServerID }) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          {mayAdd && (
            <LinkButton
              size="xs"
              variant="default"
              aria-label={`Register ${devEUI}`}
              to={paths.deviceAdd(organizationID)}
              search={{ eui: devEUI, server: networkServerID } as never}
            >
              Register
            </LinkButton>
          )}
          <Button
            size="xs"
            variant="subtle"
            aria-label={`Hide ${devEUI}`}
            onClick={() =>
              void perform(api.unknownDevice.hide({ organizationID, devEUI }), {
                changed: ['unknownDevice'],
                done: `device is hidden for ${unknownDeviceDays} days`,
              })
            }
          >
            Hide
          </Button>
        </Group>
      ),
    },
  ];
}

function BestGateway({ gateways: [best] }: UnknownDevice) {
  const { organizationID } = useIDs();
  return best && <AppLink to={paths.gateway.one(organizationID, best.gatewayID)}>{best.name}</AppLink>;
}
