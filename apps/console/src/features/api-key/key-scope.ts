import { query } from '../../api/queries.ts';
import { useChoices } from '../../api/use-choices.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { paths } from '../../paths.ts';

/** The scope of the displayed API keys: the organization in the URL, or global. */
export interface KeyScope {
  title: string;
  /** The scope as request parameters, for lists and for new keys. */
  of: { isAdmin: boolean; organizationID: string; applicationID: string };
  list: string;
  create: string;
}

export function useKeyScope(): KeyScope {
  const { organizationID } = useIDs();
  if (organizationID === '')
    return {
      title: 'API keys',
      of: { isAdmin: true, organizationID: '0', applicationID: '0' },
      list: paths.apiKey.list(),
      create: paths.apiKey.create(),
    };
  return {
    title: 'Organization API keys',
    of: { isAdmin: false, organizationID, applicationID: '0' },
    list: paths.organizationAPIKey.list(organizationID),
    create: paths.organizationAPIKey.create(organizationID),
  };
}

/** Whether the server supports expiry of keys; older ones do not. */
export const useCanExpire = (): boolean =>
  useChoices(query('internal', 'listAPIKeys', {}), 'include')?.includes('expiresAt') ?? false;
