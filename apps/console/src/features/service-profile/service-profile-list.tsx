import { prefetch } from '../../api/prefetch.ts';
import { query } from '../../api/queries.ts';
import { Identifier } from '../../components/copy/copy.tsx';
import { devicesWith } from '../../components/filters/list-links.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { CountLink } from '../../components/link/count-link.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { NetworkServerLink } from '../../components/link/network-server-link.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { firstPage, type PageOf } from '../../components/list/use-list-page.ts';
import { ListPage } from '../../components/resource/list-page.tsx';
import { paths } from '../../paths.ts';

const profilesOf = (organizationID: string, { limit, offset, search, orderBy }: PageOf<'serviceProfile'>) =>
  query('serviceProfile', 'list', { organizationID, limit, offset, search, orderBy, include: 'counts' });

export function ServiceProfileList() {
  const { organizationID } = useIDs();
  return (
    <ListPage
      of="serviceProfile"
      search="Search by name"
      query={(page) => profilesOf(organizationID, page)}
      columns={[
        {
          header: 'Name',
          sort: 'name',
          primary: true,
          cell: ({ id, name }) => <AppLink to={paths.serviceProfile.one(organizationID, id)}>{name}</AppLink>,
        },
        {
          header: 'ID',
          fit: true,
          card: 'folded',
          cell: ({ id, name }) => <Identifier value={id} label={`ID of ${name}`} />,
        },
        { header: 'Network Server', sort: 'networkServerName', cell: (row) => <NetworkServerLink {...row} /> },
        {
          header: 'Applications',
          align: 'right',
          width: 120,
          include: 'counts',
          cell: ({ applicationCount }) => applicationCount,
        },
        {
          header: 'Devices',
          align: 'right',
          width: 100,
          include: 'counts',
          cell: ({ id, deviceCount }) => (
            <CountLink
              count={deviceCount}
              to={paths.organizationDevices(organizationID)}
              search={devicesWith('serviceProfile', id)}
            />
          ),
        },
        { header: 'Last change', width: 140, card: 'folded', cell: ({ updatedAt }) => <LastSeen at={updatedAt} /> },
      ]}
      purpose="A service-profile connects the organization to a network-server and defines which features its devices may use."
    />
  );
}

ServiceProfileList.ask = ({ organizationID }: IDs) => prefetch(profilesOf(organizationID, firstPage()));
