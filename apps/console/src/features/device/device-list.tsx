import type { DeviceListItem } from '@hilltop/contract';
import { IconCpu, IconPlus } from '@tabler/icons-react';
import { prefetch } from '../../api/prefetch.ts';
import { query } from '../../api/queries.ts';
import { deviceColumns } from '../../components/device/device-columns.tsx';
import { KeptEnd } from '../../components/kept-end/kept-end.tsx';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { firstPage, type PageOf } from '../../components/list/use-list-page.ts';
import { useSelection } from '../../components/list/use-selection.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { SelectedDevices } from './add-to-group.tsx';
import { DeviceState } from './device-state.tsx';
import { BatteryLevel, marginText } from './device-status.tsx';

const devicesOf = (applicationID: string, { limit, offset, search, orderBy, filter }: PageOf<'device'>) =>
  query('device', 'list', {
    ...{ applicationID, limit, offset, search, orderBy, include: ['state'] as const },
    filter: filter ? [filter] : [],
  });

/** The devices of an application, on its first tab. */
export function DeviceList() {
  const { organizationID, applicationID } = useIDs();
  const may = useMay();
  const selection = useSelection<DeviceListItem>(({ devEUI }) => devEUI);
  const maySelect = may('multicastGroup.addDevice');
  const [lastSeen, ...named] = deviceColumns(organizationID, applicationID);
  const create = may('device.create') && (
    <LinkButton
      variant="default"
      title="All settings in one form"
      to={paths.device.create(organizationID, applicationID)}
      leftSection={<IconPlus size={16} />}
    >
      Create
    </LinkButton>
  );
  return (
    <ResourceList
      label="Devices"
      refreshMs={10_000}
      query={(page) => devicesOf(applicationID, page)}
      filters={[
        ['state:is:neverSeen', 'Never seen'],
        ['state:is:inactive', 'Inactive'],
        ['battery:lt:20', 'Low battery'],
      ]}
      search="Search by name or EUI"
      selection={selection}
      toolbar={
        <>
          {maySelect && <SelectedDevices selection={selection} />}
          {create}
        </>
      }
      rowKey={({ devEUI }) => devEUI}
      columns={[
        ...(maySelect ? [selection.column] : []),
        ...(lastSeen ? [lastSeen] : []),
        { header: 'Status', width: 120, card: 'aside', cell: ({ state }) => <DeviceState state={state} /> },
        ...named,
        {
          header: 'Device profile',
          share: 5,
          card: 'cut',
          sort: 'deviceProfileName',
          cell: ({ deviceProfileID, deviceProfileName }) => (
            <AppLink to={paths.deviceProfile.one(organizationID, deviceProfileID)}>
              <KeptEnd>{deviceProfileName}</KeptEnd>
            </AppLink>
          ),
        },
        {
          header: 'Link margin',
          card: 'folded',
          sort: 'deviceStatusMargin',
          align: 'right',
          cell: ({ deviceStatusMargin }) => marginText(deviceStatusMargin),
        },
        {
          header: 'Battery',
          card: 'folded',
          sort: 'deviceStatusBatteryLevel',
          align: 'right',
          cell: (row) => <BatteryLevel {...row} />,
        },
      ]}
      empty={{
        title: 'No devices yet',
        text: 'A device sends data through every gateway in range. Create it here before it joins.',
        icon: <IconCpu size={32} />,
        action: create,
      }}
    />
  );
}

DeviceList.ask = ({ applicationID }: IDs) => prefetch(devicesOf(applicationID, firstPage()));
