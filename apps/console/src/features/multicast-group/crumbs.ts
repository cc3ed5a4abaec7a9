import { useIDs } from '../../components/link/use-ids.ts';
import { useApplicationCrumbs } from '../../components/page-header/use-application-crumbs.ts';
import { paths } from '../../paths.ts';

/** The breadcrumbs of a multicast-group. */
export function useCrumbs() {
  const { organizationID, applicationID } = useIDs();
  return [
    ...useApplicationCrumbs(),
    { label: 'Multicast-groups', to: paths.multicastGroup.list(organizationID, applicationID) },
  ];
}
