import type { NetworkServer, Operations, ResponseOf } from '@hilltop/contract';
import type { PageTab } from '../../components/page-header/page-tabs.tsx';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';

/** Whether it runs inside Hilltop itself. */
export const isEmbedded = ({ server }: Pick<NetworkServer, 'server'>) => server.startsWith('embedded:');

/** Its name with what it says of itself. */
export function titleOf({ networkServer: { name }, region, version }: ResponseOf<Operations['networkServer']['get']>) {
  if (region || version) return { title: `${name} (${region}@${version})` };
  return { badges: <Status tone="attention">Not reachable</Status> };
}

/** The pages of an embedded one; others have one page alone. */
export function tabsOf({ id, server }: Pick<NetworkServer, 'id' | 'server'>): readonly PageTab[] {
  if (!isEmbedded({ server })) return [];
  return [
    { label: 'Configuration', to: paths.networkServer.one(id), exact: true },
    { label: 'Radio', to: paths.networkServerRadio(id) },
  ];
}
