import type { JobKindName } from '@hilltop/contract';
import { Button } from '@mantine/core';
import {
  IconAdjustments,
  IconArrowsRightLeft,
  IconChevronDown,
  IconCpu,
  IconDownload,
  IconEraser,
  IconListCheck,
  IconPlayerPause,
  IconPlayerPlay,
  IconTag,
  IconTrash,
  IconUsersGroup,
  IconUsersMinus,
  IconVariable,
} from '@tabler/icons-react';
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';
import type { OperationName } from '../../api/facts.ts';
import { useOffered } from '../../api/use-offered.ts';
import { useMay } from '../../session/session.tsx';
import type { Selection } from '../list/use-selection.tsx';
import { Menu, MenuItem } from '../menu/menu.tsx';
import classes from './job-actions.module.css';
import { selectedRecords } from './selected-records.ts';

const ExportDialog = lazy(() => import('../file/export-dialog.tsx').then((m) => ({ default: m.ExportDialog })));
const JobDialog = lazy(() => import('./job-dialog.tsx').then((m) => ({ default: m.JobDialog })));

interface JobEntry {
  kind: JobKindName;
  label: string;
  Icon: ComponentType<{ size: number }>;
  /** The right that one record needs. */
  needs: OperationName;
  /** One of the commonest: a button of its own. */
  isCommon?: true;
}

const deviceEntries: readonly JobEntry[] = [
  {
    kind: 'ADD_TO_MULTICAST_GROUP',
    label: 'Add to multicast group',
    Icon: IconUsersGroup,
    needs: 'multicastGroup.addDevice',
  },
  {
    kind: 'REMOVE_FROM_MULTICAST_GROUP',
    label: 'Remove from multicast-group',
    Icon: IconUsersMinus,
    needs: 'multicastGroup.removeDevice',
  },
  { kind: 'MOVE_DEVICES', label: 'Move', Icon: IconArrowsRightLeft, needs: 'device.update', isCommon: true },
  { kind: 'CHANGE_DEVICE_TAGS', label: 'Change tags', Icon: IconTag, needs: 'device.update', isCommon: true },
  { kind: 'CHANGE_DEVICE_VARIABLES', label: 'Change variables', Icon: IconVariable, needs: 'device.update' },
  { kind: 'SET_DEVICE_PROFILE', label: 'Change device-profile', Icon: IconAdjustments, needs: 'device.update' },
  { kind: 'ENABLE_DEVICES', label: 'Enable', Icon: IconPlayerPlay, needs: 'device.update', isCommon: true },
  { kind: 'DISABLE_DEVICES', label: 'Disable', Icon: IconPlayerPause, needs: 'device.update', isCommon: true },
  { kind: 'CLEAR_DEVICE_NONCES', label: 'Clear DevNonces', Icon: IconCpu, needs: 'device.clearDeviceNonces' },
  { kind: 'FLUSH_DEVICE_QUEUES', label: 'Flush queues', Icon: IconEraser, needs: 'deviceQueue.flush' },
  { kind: 'DELETE_DEVICES', label: 'Delete', Icon: IconTrash, needs: 'device.delete', isCommon: true },
];

const gatewayEntries: readonly JobEntry[] = [
  { kind: 'CHANGE_GATEWAY_TAGS', label: 'Change tags', Icon: IconTag, needs: 'gateway.update', isCommon: true },
  {
    kind: 'SET_GATEWAY_PROFILE',
    label: 'Change gateway-profile',
    Icon: IconAdjustments,
    needs: 'gateway.update',
    isCommon: true,
  },
  {
    kind: 'SET_GATEWAY_SERVICE_PROFILE',
    label: 'Change service-profile',
    Icon: IconAdjustments,
    needs: 'gateway.update',
    isCommon: true,
  },
  { kind: 'DELETE_GATEWAYS', label: 'Delete', Icon: IconTrash, needs: 'gateway.delete', isCommon: true },
];

const entriesOf = { device: deviceEntries, gateway: gatewayEntries };

interface JobScope {
  organizationID: string;
  /** Empty for the devices of the whole organization, and for gateways. */
  applicationID?: string;
}

interface JobMenuProps {
  label: string;
  count: number;
  jobs: Pick<ReturnType<typeof useJobActions>, 'allItems' | 'dialog'>;
}

/** The menu above a list, with everything that can be done with the selected rows. */
export function JobMenu({ label, count, jobs }: JobMenuProps) {
  return (
    <>
      <Menu
        label={label}
        trigger={(trigger) => (
          <Button
            variant="default"
            disabled={count === 0}
            leftSection={<IconListCheck size={16} />}
            rightSection={<IconChevronDown size={16} />}
            {...trigger}
          >
            {count === 0 ? label : `${label} (${count.toLocaleString('en')})`}
          </Button>
        )}
      >
        {jobs.allItems}
      </Menu>
      {jobs.dialog}
    </>
  );
}

/** What this user can do with many devices or gateways: menu items, buttons, and the dialog that they open. */
export function useJobActions<Row extends { name: string }>(
  of: keyof typeof entriesOf,
  selection: Selection<Row>,
  scope: JobScope,
) {
  const [kind, setKind] = useState<JobKindName | 'EXPORT' | null>(null);
  const may = useMay();
  // Assumed until the server has described its operations, so that the column of check boxes does not move the others.
  const isOffered = useOffered('job', 'create');
  const mayStart = isOffered && may('job.create', scope.organizationID);
  const entries = mayStart ? entriesOf[of].filter(({ needs }) => may(needs, scope.organizationID)) : [];

  const itemsOf = (wanted: readonly JobEntry[]): ReactNode =>
    wanted.map(({ kind: one, label, Icon }) => (
      <MenuItem key={one} icon={<Icon size={16} />} onChoose={() => setKind(one)}>
        {label}
      </MenuItem>
    ));
  const exportItem = (
    <MenuItem key="EXPORT" icon={<IconDownload size={16} />} onChoose={() => setKind('EXPORT')}>
      Export
    </MenuItem>
  );
  const isDelete = ({ kind: one }: JobEntry) => one.startsWith('DELETE');
  const withExport = (all: readonly JobEntry[]): ReactNode => [
    itemsOf(all.filter((entry) => !isDelete(entry))),
    exportItem,
    itemsOf(all.filter(isDelete)),
  ];
  const isMulticast = ({ kind: one }: JobEntry) => one === 'ADD_TO_MULTICAST_GROUP';

  return {
    isOffered,
    hasAny: entries.length > 0,
    open: setKind,
    /** All but the entry that the specified menu begins with. */
    items: withExport(entries.filter((entry) => !isMulticast(entry))),
    allItems: withExport(entries),
    buttons: (
      <span className={classes.buttons}>
        {entries
          .filter(({ isCommon }) => isCommon)
          .map(({ kind: one, label, Icon }) => (
            <Button
              key={one}
              size="compact-sm"
              variant="default"
              leftSection={<Icon size={14} />}
              onClick={() => setKind(one)}
            >
              {label}
            </Button>
          ))}
      </span>
    ),
    dialog: kind && (
      <Suspense>
        {kind === 'EXPORT' ? (
          <ExportDialog
            kind={of === 'device' ? 'DEVICES' : 'GATEWAYS'}
            organizationID={scope.organizationID}
            selection={selectedRecords(selection, scope)}
            onClose={() => setKind(null)}
          />
        ) : (
          <JobDialog kind={kind} selection={selection} scope={scope} onClose={() => setKind(null)} />
        )}
      </Suspense>
    ),
  };
}
