import type { DeviceListItem } from '@hilltop/contract';
import { IconCpu, IconPlus } from '@tabler/icons-react';
import { FileButtons } from '../../components/file/file-buttons.tsx';
import { useJobActions } from '../../components/job/job-actions.tsx';
import { LinkButton } from '../../components/link/link.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { prefetchList } from '../../components/list/prefetch-list.ts';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { rememberedIncludes } from '../../components/list/use-columns.ts';
import { firstPage } from '../../components/list/use-list-page.ts';
import { useSelection } from '../../components/list/use-selection.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { SelectedDevices } from './add-to-group.tsx';
import { deviceFiltersOf } from './device-filters.ts';
import { deviceListColumns, optionalDeviceColumns } from './device-list-columns.tsx';
import { devicesOf } from './devices-of.ts';

/** Views are saved for the applications of an organization together: each of them offers all. */
const viewsOf = (organizationID: string) => ({ list: 'APPLICATION_DEVICES', organizationID }) as const;

/** The devices of an application, on its first tab. */
export function DeviceList() {
  const { organizationID, applicationID } = useIDs();
  const may = useMay();
  const selection = useSelection<DeviceListItem>(({ devEUI }) => devEUI);
  const scope = { organizationID, applicationID };
  const jobs = useJobActions('device', selection, scope);
  const maySelect = may('multicastGroup.addDevice');
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
      query={(page, include) => devicesOf(scope, page, include)}
      filters={deviceFiltersOf(scope, !may('attention.list'))}
      optional={optionalDeviceColumns}
      views={viewsOf(organizationID)}
      search="Search by name or EUI"
      selection={maySelect ? selection : undefined}
      actions={jobs.buttons}
      canSelectAll={jobs.hasAny}
      toolbar={
        <>
          {maySelect && <SelectedDevices selection={selection} jobs={jobs} />}
          <FileButtons kind="DEVICES" applicationID={applicationID} />
          {create}
        </>
      }
      rowKey={({ devEUI }) => devEUI}
      columns={deviceListColumns(() => organizationID)}
      empty={{
        title: 'No devices yet',
        text: 'A device sends data through every gateway in range. Create it here before it joins.',
        icon: <IconCpu size={32} />,
        action: create,
      }}
    />
  );
}

DeviceList.ask = ({ organizationID, applicationID }: IDs) =>
  prefetchList({
    page: devicesOf({ organizationID, applicationID }, firstPage(), rememberedIncludes(optionalDeviceColumns)),
    filters: deviceFiltersOf({ organizationID, applicationID }),
    views: viewsOf(organizationID),
  });
