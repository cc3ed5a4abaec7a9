import { prefetch } from '../../api/prefetch.ts';
import { query } from '../../api/queries.ts';
import { AppLink } from '../../components/link/link.tsx';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { firstPage, type PageOf } from '../../components/list/use-list-page.ts';
import { ListPage } from '../../components/resource/list-page.tsx';
import { paths } from '../../paths.ts';

const applicationsOf = (organizationID: string, { limit, offset, search, orderBy }: PageOf<'application'>) =>
  query('application', 'list', { organizationID, limit, offset, search, orderBy });

export function ApplicationList() {
  const { organizationID } = useIDs();
  return (
    <ListPage
      of="application"
      search="Search by name"
      query={(page) => applicationsOf(organizationID, page)}
      columns={[
        { header: 'ID', card: 'folded', sort: 'id', width: 70, cell: ({ id }) => <span className="number">{id}</span> },
        {
          header: 'Name',
          sort: 'name',
          primary: true,
          cell: ({ id, name }) => <AppLink to={paths.application.one(organizationID, id)}>{name}</AppLink>,
        },
        {
          header: 'Service-profile',
          card: 'cut',
          sort: 'serviceProfileName',
          cell: ({ serviceProfileID, serviceProfileName }) => (
            <AppLink to={paths.serviceProfile.one(organizationID, serviceProfileID)}>{serviceProfileName}</AppLink>
          ),
        },
        { header: 'Description', card: 'cut', sort: 'description', cell: ({ description }) => description },
      ]}
      purpose="An application groups devices and forwards their data."
    />
  );
}

ApplicationList.ask = ({ organizationID }: IDs) => prefetch(applicationsOf(organizationID, firstPage()));
