import type { DeviceListItem } from '@hilltop/contract';
import { IconCpu } from '@tabler/icons-react';
import { prefetchList } from '../../components/list/prefetch-list.ts';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { rememberedIncludes } from '../../components/list/use-columns.ts';
import { firstPage } from '../../components/list/use-list-page.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { deviceFiltersOf } from './device-filters.ts';
import {
  applicationColumn,
  deviceListColumns,
  optionalDeviceColumns,
  organizationColumn,
} from './device-list-columns.tsx';
import { devicesOf } from './devices-of.ts';

const everywhere = { organizationID: '', applicationID: '' };
const organizationOf = ({ organizationID = '' }: DeviceListItem) => organizationID;

/** The devices of all organizations, for global administrators. */
export function AllDevices() {
  return (
    <>
      <PageHeader
        title="All devices"
        tabs={[
          { label: 'Devices', to: paths.allDevices(), exact: true },
          { label: 'Gateways', to: paths.allGateways() },
        ]}
      />
      <ResourceList
        label="Devices"
        refreshMs={10_000}
        query={(page, include) => devicesOf(everywhere, page, include)}
        filters={deviceFiltersOf(everywhere)}
        optional={optionalDeviceColumns}
        views={{ list: 'DEVICES', organizationID: '0' }}
        search="Search by name or EUI"
        rowKey={({ devEUI }) => devEUI}
        columns={deviceListColumns(organizationOf, [organizationColumn, applicationColumn(organizationOf)])}
        empty={{
          title: 'No devices yet',
          text: 'The devices of all organizations are listed here.',
          icon: <IconCpu size={32} />,
        }}
      />
    </>
  );
}

AllDevices.ask = () =>
  prefetchList({
    page: devicesOf(everywhere, firstPage(), rememberedIncludes(optionalDeviceColumns)),
    filters: deviceFiltersOf(everywhere),
    views: { list: 'DEVICES', organizationID: '0' },
  });
