import { query } from '../../api/queries.ts';
import { useChoices } from '../../api/use-choices.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { paths } from '../../paths.ts';

/** What the API keys on show are for: the organization in the address, or everything. */
export interface KeyScope {
  title: string;
  /** The scope as the API wants it, on lists and on new keys. */
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

/** Whether the server lets keys end; an older one does not know that. */
export const useCanExpire = (): boolean =>
  useChoices(query('internal', 'listAPIKeys', {}), 'include')?.includes('expiresAt') ?? false;
