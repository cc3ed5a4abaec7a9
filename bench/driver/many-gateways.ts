import type { Client } from '@hilltop/contract/client';
import { type BaseRecords, forEach, numbered } from './base-records.ts';

/** Creates gateways all over Europe, until there are as many as a map shows. */
export async function createManyGateways(client: Client, { gatewayIDs }: Pick<BaseRecords, 'gatewayIDs'>) {
  const [network] = (await client.networkServer.list({ limit: 1 })).result;
  const [organization] = (await client.organization.list({ limit: 1 })).result;
  await forEach(9_999 - gatewayIDs.length, (index) =>
    client.gateway.create({
      gateway: {
        organizationID: organization!.id,
        networkServerID: network!.id,
        id: numbered('a0', index, 16),
        name: `map-${index}`,
        description: `Roof ${index}`,
        location: { latitude: 45 + ((index * 7919) % 1000) / 100, longitude: ((index * 104_729) % 2000) / 100 },
      },
    }),
  );
  return { organizationID: organization!.id };
}
