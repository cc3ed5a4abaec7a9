import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { paths } from '../../paths.ts';

/** The breadcrumbs of a multicast-group. */
export function useCrumbs() {
  const { organizationID, applicationID } = useIDs();
  const application = useQuery(query('application', 'get', { id: applicationID }));
  return [
    { label: 'Applications', to: paths.application.list(organizationID) },
    {
      label: application.data?.application.name ?? 'Application',
      to: paths.application.one(organizationID, applicationID),
    },
    { label: 'Multicast-groups', to: paths.multicastGroup.list(organizationID, applicationID) },
  ];
}
