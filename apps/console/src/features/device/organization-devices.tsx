import type { DeviceListItem } from '@hilltop/contract';
import { IconCpu, IconPlus } from '@tabler/icons-react';
import { FileButtons } from '../../components/file/file-buttons.tsx';
import { JobMenu, useJobActions } from '../../components/job/job-actions.tsx';
import { LinkButton } from '../../components/link/link.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { prefetchList } from '../../components/list/prefetch-list.ts';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { rememberedIncludes } from '../../components/list/use-columns.ts';
import { firstPage } from '../../components/list/use-list-page.ts';
import { useSelection } from '../../components/list/use-selection.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { deviceFiltersOf } from './device-filters.ts';
import { applicationColumn, deviceListColumns, optionalDeviceColumns } from './device-list-columns.tsx';
import { devicesOf } from './devices-of.ts';

const scopeOf = (organizationID: string) => ({ organizationID, applicationID: '' });

/** All devices of an organization. */
export function OrganizationDevices() {
  const { organizationID } = useIDs();
  const scope = scopeOf(organizationID);
  const selection = useSelection<DeviceListItem>(({ devEUI }) => devEUI);
  const jobs = useJobActions('device', selection, scope);
  const may = useMay();
  const add = may('firstSteps.addDevice') && (
    <LinkButton to={paths.deviceAdd(organizationID)} leftSection={<IconPlus size={16} />}>
      Add a device
    </LinkButton>
  );
  return (
    <>
      <PageHeader
        title="Devices"
        actions={
          <>
            <FileButtons kind="DEVICES" />
            {add}
          </>
        }
      />
      <ResourceList
        label="Devices"
        refreshMs={10_000}
        query={(page, include) => devicesOf(scope, page, include)}
        filters={deviceFiltersOf(scope, !may('attention.list'))}
        optional={optionalDeviceColumns}
        views={{ list: 'DEVICES', organizationID }}
        search="Search by name or EUI"
        selection={jobs.hasAny ? selection : undefined}
        actions={jobs.buttons}
        canSelectAll
        toolbar={jobs.hasAny && <JobMenu label="Selected devices" count={selection.count} jobs={jobs} />}
        rowKey={({ devEUI }) => devEUI}
        columns={deviceListColumns(() => organizationID, [applicationColumn(() => organizationID)])}
        empty={{
          title: 'No devices yet',
          text: 'The devices of all applications of this organization are listed here.',
          icon: <IconCpu size={32} />,
          action: add,
        }}
      />
    </>
  );
}

OrganizationDevices.ask = ({ organizationID }: IDs) =>
  prefetchList({
    page: devicesOf(scopeOf(organizationID), firstPage(), rememberedIncludes(optionalDeviceColumns)),
    filters: deviceFiltersOf(scopeOf(organizationID)),
    views: { list: 'DEVICES', organizationID },
  });
