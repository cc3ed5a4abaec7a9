import type { DeviceListItem } from '@hilltop/contract';
import { deviceColumns } from '../../components/device/device-columns.tsx';
import { KeptEnd } from '../../components/kept-end/kept-end.tsx';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink } from '../../components/link/link.tsx';
import type { Column } from '../../components/list/cells.tsx';
import type { OptionalColumns } from '../../components/list/use-columns.ts';
import { valuesOf } from '../../components/values/values.ts';
import { paths } from '../../paths.ts';
import { DeviceState } from './device-state.tsx';
import { BatteryLevel, marginText } from './device-status.tsx';

type Field = 'lastSeenAt' | 'name' | 'devEUI' | 'deviceProfileName' | 'deviceStatusMargin' | 'deviceStatusBatteryLevel';
type DeviceColumn = Column<DeviceListItem, Field>;
type OrganizationOf = (row: DeviceListItem) => string;

/** The columns of a list of devices; `owners` follow the EUI. */
export function deviceListColumns(organizationOf: OrganizationOf, owners: DeviceColumn[] = []): DeviceColumn[] {
  const [lastSeen, ...named] = deviceColumns(organizationOf);
  return [
    lastSeen!,
    { header: 'Status', width: 120, card: 'aside', cell: (row) => <DeviceState {...row} /> },
    ...named,
    ...owners,
    {
      header: 'Device profile',
      share: 5,
      card: 'cut',
      sort: 'deviceProfileName',
      cell: (row) => (
        <AppLink to={paths.deviceProfile.one(organizationOf(row), row.deviceProfileID)}>
          <KeptEnd>{row.deviceProfileName}</KeptEnd>
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
  ];
}

/** The application of a device, in lists over several applications. */
export const applicationColumn = (organizationOf: OrganizationOf): DeviceColumn => ({
  header: 'Application',
  share: 4,
  card: 'folded',
  include: 'applicationName',
  cell: (row) => (
    <AppLink to={paths.application.one(organizationOf(row), row.applicationID)}>{row.applicationName}</AppLink>
  ),
});

/** The organization of a device, in lists over all of them. */
export const organizationColumn: DeviceColumn = {
  header: 'Organization',
  share: 4,
  card: 'folded',
  include: 'organization',
  cell: ({ organizationID = '', organizationName }) => (
    <AppLink to={paths.organization.one(organizationID)}>{organizationName}</AppLink>
  ),
};

/** A number with its unit; nothing where it is not known. */
const measured = (value: number | undefined, unit: string, digits = 0) =>
  value === undefined ? '' : `${value.toFixed(digits)} ${unit}`;

/** "temperature 21.5 °C, humidity 40" */
function lastValuesText(json: string | undefined): string {
  if (json === undefined) return '';
  try {
    return valuesOf(JSON.parse(json), mostValues)
      .map(({ name, text }) => `${name} ${text}`)
      .join(', ');
  } catch {
    // Cut to its limit by the server.
    return '';
  }
}

const mostValues = 4;

/** Columns of lists of devices that users can add. */
export const optionalDeviceColumns: OptionalColumns<DeviceListItem, Field> = {
  list: 'devices',
  tagsOf: ({ tags }) => tags,
  columns: [
    {
      id: 'lastValues',
      header: 'Last values',
      include: 'lastValues',
      share: 6,
      minWidth: 280,
      card: 'folded',
      cell: ({ lastValues }) => lastValuesText(lastValues),
    },
    {
      id: 'description',
      header: 'Description',
      share: 4,
      minWidth: 180,
      card: 'folded',
      cell: ({ description }) => description,
    },
    {
      id: 'devAddr',
      header: 'DevAddr',
      include: 'devAddr',
      fit: true,
      card: 'folded',
      cell: ({ devAddr }) => <span className="identifier">{devAddr}</span>,
    },
    {
      id: 'dr',
      header: 'Data-rate',
      include: 'dr',
      align: 'right',
      card: 'folded',
      cell: ({ dr }) => (dr === undefined ? '' : `DR${dr}`),
    },
    {
      id: 'rssi',
      header: 'RSSI',
      include: 'health',
      align: 'right',
      card: 'folded',
      cell: ({ health }) => measured(health?.rssi, 'dBm'),
    },
    {
      id: 'snr',
      header: 'SNR',
      include: 'health',
      align: 'right',
      card: 'folded',
      cell: ({ health }) => measured(health?.snr, 'dB', 1),
    },
    {
      id: 'loss',
      header: 'Loss',
      include: 'health',
      align: 'right',
      card: 'folded',
      cell: ({ health }) => measured(health?.loss, '%'),
    },
    {
      id: 'uplinks',
      header: 'Uplinks (24 h)',
      include: 'health',
      align: 'right',
      card: 'folded',
      cell: ({ health }) => health?.uplinks.toLocaleString('en'),
    },
    {
      id: 'codecErrorAt',
      header: 'Last codec error',
      include: 'health',
      width: 140,
      card: 'folded',
      cell: ({ health }) => health?.codecErrorAt && <LastSeen at={health.codecErrorAt} />,
    },
    {
      id: 'createdAt',
      header: 'Created',
      include: 'createdAt',
      width: 120,
      card: 'folded',
      cell: ({ createdAt }) => createdAt && <LastSeen at={createdAt} />,
    },
  ],
};
