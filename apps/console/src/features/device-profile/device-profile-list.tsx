import type { DeviceProfileListItem } from '@hilltop/contract';
import { prefetch } from '../../api/prefetch.ts';
import { query } from '../../api/queries.ts';
import { devicesWith } from '../../components/filters/list-links.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { CountLink } from '../../components/link/count-link.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { NetworkServerLink } from '../../components/link/network-server-link.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { firstPage, type PageOf } from '../../components/list/use-list-page.ts';
import { ListPage } from '../../components/resource/list-page.tsx';
import { paths } from '../../paths.ts';

const profilesOf = (organizationID: string, { limit, offset, search, orderBy }: PageOf<'deviceProfile'>) =>
  query('deviceProfile', 'list', { organizationID, limit, offset, search, orderBy, include: 'details' });

/** "A", "A, C": every device starts in class A. */
function classesText({ macVersion, supportsClassB, supportsClassC }: DeviceProfileListItem): string {
  if (macVersion === undefined) return '–';
  return ['A', supportsClassB && 'B', supportsClassC && 'C'].filter(Boolean).join(', ');
}

const codecs: Readonly<Record<string, string>> = { '': 'None', CAYENNE_LPP: 'Cayenne LPP', CUSTOM_JS: 'JavaScript' };
const codecText = (codec: string) => codecs[codec] ?? codec;

export function DeviceProfileList() {
  const { organizationID } = useIDs();
  return (
    <ListPage
      of="deviceProfile"
      search="Search by name"
      query={(page) => profilesOf(organizationID, page)}
      columns={[
        {
          header: 'Name',
          sort: 'name',
          primary: true,
          share: 2,
          cell: ({ id, name }) => <AppLink to={paths.deviceProfile.one(organizationID, id)}>{name}</AppLink>,
        },
        {
          header: 'Network Server',
          sort: 'networkServerName',
          card: 'cut',
          cell: (row) => <NetworkServerLink {...row} />,
        },
        { header: 'LoRaWAN', width: 90, card: 'plain', include: 'details', cell: ({ macVersion = '–' }) => macVersion },
        { header: 'Class', width: 80, card: 'folded', include: 'details', cell: classesText },
        {
          header: 'Codec',
          width: 130,
          card: 'folded',
          include: 'details',
          cell: ({ payloadCodec = '' }) => codecText(payloadCodec),
        },
        {
          header: 'Devices',
          align: 'right',
          width: 100,
          include: 'details',
          cell: ({ id, deviceCount }) => (
            <CountLink
              count={deviceCount}
              to={paths.organizationDevices(organizationID)}
              search={devicesWith('profile', id)}
            />
          ),
        },
        { header: 'Last change', width: 140, card: 'folded', cell: ({ updatedAt }) => <LastSeen at={updatedAt} /> },
      ]}
      purpose="A device-profile describes one type of device: its LoRaWAN version, how it joins, its classes and its codec."
    />
  );
}

DeviceProfileList.ask = ({ organizationID }: IDs) => prefetch(profilesOf(organizationID, firstPage()));
