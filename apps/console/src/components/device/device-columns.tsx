import type { DeviceListItem } from '@hilltop/contract';
import { paths } from '../../paths.ts';
import { Identifier } from '../copy/copy.tsx';
import { LastSeen } from '../last-seen/last-seen.tsx';
import { AppLink } from '../link/link.tsx';
import type { Column } from '../list/cells.tsx';

type DeviceColumn = Column<DeviceListItem, 'lastSeenAt' | 'name' | 'devEUI'>;

/** The first columns of every list of devices. `organizationOf` names the organization of a device. */
export const deviceColumns = (
  organizationOf: (row: DeviceListItem) => string,
): [lastSeen: DeviceColumn, name: DeviceColumn, devEUI: DeviceColumn] => [
  {
    header: 'Last seen',
    card: 'plain',
    sort: 'lastSeenAt',
    width: 120,
    cell: ({ lastSeenAt }) => <LastSeen at={lastSeenAt} />,
  },
  {
    header: 'Device name',
    sort: 'name',
    primary: true,
    cell: (row) => (
      <AppLink to={paths.device.one(organizationOf(row), row.applicationID, row.devEUI)}>{row.name}</AppLink>
    ),
  },
  {
    header: 'Device EUI',
    fit: true,
    card: 'plain',
    sort: 'devEUI',
    cell: ({ devEUI, name }) => <Identifier value={devEUI} label={`EUI of ${name}`} />,
  },
];
