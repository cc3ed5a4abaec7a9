import { prefetch } from '../../api/prefetch.ts';
import { query } from '../../api/queries.ts';
import { AppLink } from '../../components/link/link.tsx';
import { NetworkServerLink } from '../../components/link/network-server-link.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { firstPage, type PageOf } from '../../components/list/use-list-page.ts';
import { ListPage } from '../../components/resource/list-page.tsx';
import { paths } from '../../paths.ts';

const profilesOf = (organizationID: string, { limit, offset, orderBy }: PageOf<'deviceProfile'>) =>
  query('deviceProfile', 'list', { organizationID, limit, offset, orderBy });

export function DeviceProfileList() {
  const { organizationID } = useIDs();
  return (
    <ListPage
      of="deviceProfile"
      query={(page) => profilesOf(organizationID, page)}
      columns={[
        {
          header: 'Name',
          sort: 'name',
          primary: true,
          cell: ({ id, name }) => <AppLink to={paths.deviceProfile.one(organizationID, id)}>{name}</AppLink>,
        },
        { header: 'Network Server', sort: 'networkServerName', cell: (row) => <NetworkServerLink {...row} /> },
      ]}
      purpose="A device-profile describes one type of device: its LoRaWAN version, how it joins, its classes and its codec."
    />
  );
}

DeviceProfileList.ask = ({ organizationID }: IDs) => prefetch(profilesOf(organizationID, firstPage()));
