import { randomUUID } from 'node:crypto';
import { atField, type Operations, refusal } from '@hilltop/contract';
import { searchText } from '../../database/page.ts';
import type { Handlers } from '../../http/call.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import type { GatewayChangeDependencies } from './change.ts';
import { endCertificateConnections } from './end-certificates.ts';
import { deleteGateway, loadGateway } from './store.ts';

const unseen = {
  first_seen_at: null,
  last_seen_at: null,
  heard_at: null,
  heard_link: null,
  link_end: null,
  metadata: {},
};

/** A new gateway takes the place of a broken one, here and at the network server, in one transaction. */
export function gatewayReplacementRoutes(needs: GatewayChangeDependencies): Handlers<Operations['gatewayReplacement']> {
  return {
    create: async ({ gatewayID, newGatewayID }) => {
      await replaceGateway(needs, gatewayID, newGatewayID);
      return {};
    },
  };
}

async function replaceGateway(
  needs: GatewayChangeDependencies,
  gatewayID: string,
  newGatewayID: string,
): Promise<void> {
  const { database, networks, clock, statistics } = needs;
  await database.transaction(async () => {
    const { query } = database;
    const former = await loadGateway(database, gatewayID);
    const existing = query.selectFrom('gateway').select('id').where('id', '=', newGatewayID);
    if (await existing.executeTakeFirst())
      throw atField('newGatewayID', refusal('TAKEN', { resource: 'gateway', called: 'ID' }));
    const network = await networks.of(former.network_server_id);
    const { gateway } = await network.getGateway({ id: Uint8Array.fromHex(gatewayID) });
    await endCertificateConnections(needs, [gatewayID]);
    // The name is unique in the organization, and outages refer to a gateway.
    await query.updateTable('gateway').set({ name: randomUUID() }).where('id', '=', gatewayID).execute();
    const changes = { search_text: searchText(former.name, newGatewayID), updated_at: clock.now() };
    await query
      .insertInto('gateway')
      .values({ ...former, ...changes, ...unseen, id: newGatewayID })
      .execute();
    const outages = query.updateTable('gateway_outage').set({ gateway_id: newGatewayID });
    await outages.where('gateway_id', '=', gatewayID).execute();
    await deleteGateway(database, gatewayID);
    await statistics.rename(`gateway:${gatewayID}`, `gateway:${newGatewayID}`);
    // The keys of boards belong to the hardware.
    if (gateway)
      await network.createGateway({ gateway: { ...gateway, id: Uint8Array.fromHex(newGatewayID), boards: [] } });
    await ignoreNotFound(network.deleteGateway({ id: Uint8Array.fromHex(gatewayID) }));
  });
}
