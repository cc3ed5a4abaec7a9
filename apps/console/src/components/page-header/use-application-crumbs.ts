import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { useIDs } from '../link/use-ids.ts';

/** The breadcrumbs of pages below the application in the URL. */
export function useApplicationCrumbs() {
  const { organizationID, applicationID } = useIDs();
  const application = useQuery(query('application', 'get', { id: applicationID }));
  return [
    { label: 'Applications', to: paths.application.list(organizationID) },
    {
      label: application.data?.application.name ?? 'Application',
      to: paths.application.one(organizationID, applicationID),
    },
  ];
}
