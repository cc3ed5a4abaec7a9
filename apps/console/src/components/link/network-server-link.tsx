import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { AppLink } from './link.tsx';

interface Props {
  networkServerID: string;
  networkServerName: string;
}

/** The network-server of a row: a link for who may open it. */
export function NetworkServerLink({ networkServerID, networkServerName }: Props) {
  if (!useMay()('networkServer.update')) return networkServerName;
  return <AppLink to={paths.networkServer.one(networkServerID)}>{networkServerName}</AppLink>;
}
