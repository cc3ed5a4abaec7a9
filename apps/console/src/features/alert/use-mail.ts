import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { useSession } from '../../session/session.tsx';

/** Whether the server sends mail, and the address of the user if it may get alerts of this organization at once. */
export function useMail() {
  const { user, organizations, organizationID } = useSession();
  const { data } = useQuery(query('mail', 'get', {}));
  const isMember = organizations.some((one) => one.organizationID === organizationID);
  const email = user?.email ?? '';
  const canReceive = data?.isSetUp === true && email.includes('@') && (isMember || data.canConfirm);
  return { mail: data, ownAddress: canReceive ? email : undefined };
}
