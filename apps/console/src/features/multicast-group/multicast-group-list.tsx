import { IconPlus, IconUsersGroup } from '@tabler/icons-react';
import { prefetch } from '../../api/prefetch.ts';
import { query } from '../../api/queries.ts';
import { Identifier } from '../../components/copy/copy.tsx';
import { CountLink } from '../../components/link/count-link.tsx';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { firstPage, type PageOf } from '../../components/list/use-list-page.ts';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';

const groupsOf = (applicationID: string, { limit, offset, search, orderBy }: PageOf<'multicastGroup'>) =>
  query('multicastGroup', 'list', { applicationID, limit, offset, search, orderBy, include: 'counts' });

/** The multicast-groups of an application. */
export function MulticastGroupList() {
  const { organizationID, applicationID } = useIDs();
  const create = useMay()('multicastGroup.create') && (
    <LinkButton to={paths.multicastGroup.create(organizationID, applicationID)} leftSection={<IconPlus size={16} />}>
      Create
    </LinkButton>
  );
  return (
    <ResourceList
      label="Multicast-groups"
      query={(page) => groupsOf(applicationID, page)}
      search="Search by name"
      toolbar={create}
      rowKey={({ id }) => id}
      columns={[
        {
          header: 'Name',
          sort: 'name',
          primary: true,
          cell: ({ id, name }) => (
            <AppLink to={paths.multicastGroup.one(organizationID, applicationID, id)}>{name}</AppLink>
          ),
        },
        {
          header: 'ID',
          fit: true,
          card: 'cut',
          cell: ({ id, name }) => <Identifier value={id} label={`ID of ${name}`} />,
        },
        {
          header: 'Devices',
          align: 'right',
          width: 110,
          include: 'counts',
          cell: ({ id, deviceCount }) => (
            <CountLink count={deviceCount} to={paths.multicastGroup.one(organizationID, applicationID, id)} />
          ),
        },
      ]}
      empty={{
        title: 'No multicast-groups yet',
        text: 'With a multicast-group, one downlink reaches many Class-B or Class-C devices.',
        icon: <IconUsersGroup size={32} />,
        action: create,
      }}
    />
  );
}

MulticastGroupList.ask = ({ applicationID }: IDs) => prefetch(groupsOf(applicationID, firstPage()));
