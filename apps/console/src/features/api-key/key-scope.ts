import { query } from '../../api/queries.ts';
import { useChoices } from '../../api/use-choices.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { paths } from '../../paths.ts';

/** The scope of the displayed API keys: the application or organization in the URL, or global. */
export interface KeyScope {
  title: string;
  /** The scope as request parameters, for lists and for new keys. */
  of: { isAdmin: boolean; organizationID: string; applicationID: string };
  list: string;
  create: string;
}

export function useKeyScope(): KeyScope {
  const { organizationID, applicationID } = useIDs();
  if (organizationID === '')
    return {
      title: 'API keys',
      of: { isAdmin: true, organizationID: '0', applicationID: '0' },
      list: paths.apiKey.list(),
      create: paths.apiKey.create(),
    };
  if (applicationID !== '')
    return {
      title: 'Application API keys',
      of: { isAdmin: false, organizationID: '0', applicationID },
      list: paths.applicationAPIKey.list(organizationID, applicationID),
      create: paths.applicationAPIKey.create(organizationID, applicationID),
    };
  return {
    title: 'Organization API keys',
    of: { isAdmin: false, organizationID, applicationID: '0' },
    list: paths.organizationAPIKey.list(organizationID),
    create: paths.organizationAPIKey.create(organizationID),
  };
}

/** Whether the server has access levels and details of keys; older ones have not. */
export const useHasDetails = (): boolean =>
  useChoices(query('internal', 'listAPIKeys', {}), 'include')?.includes('details') ?? false;
