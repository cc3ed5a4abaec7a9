import type { NetworkServer, Operations, ResponseOf } from '@hilltop/contract';
import type { PageTab } from '../../components/page-header/page-tabs.tsx';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';

/** Whether the network-server is embedded. */
export const isEmbedded = ({ server }: Pick<NetworkServer, 'server'>) => server.startsWith('embedded:');

/** The name, version and region of a network-server. */
export function titleOf({ networkServer: { name }, region, version }: ResponseOf<Operations['networkServer']['get']>) {
  if (region || version) return { title: `${name} (${region}@${version})` };
  return { badges: <Status tone="attention">Not reachable</Status> };
}

/** The pages of an embedded network-server; others have only one. */
export function tabsOf({ id, server }: Pick<NetworkServer, 'id' | 'server'>): readonly PageTab[] {
  if (!isEmbedded({ server })) return [];
  return [
    { label: 'Configuration', to: paths.networkServer.one(id), exact: true },
    { label: 'Radio', to: paths.networkServerRadio(id) },
  ];
}
