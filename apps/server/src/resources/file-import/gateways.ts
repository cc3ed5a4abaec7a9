import { type Gateway, notFound, operations } from '@hilltop/contract';
import { toRowID } from '../../identifiers.ts';
import { changeGateway, createGateway, type GatewayChangeDependencies, removeGateway } from '../gateway/change.ts';
import { fromNetworkForm } from '../gateway/network-form.ts';
import { fromRow, loadGateway } from '../gateway/store.ts';
import { readGatewayRecord } from './gateway-record.ts';
import { type Existing, type ImportedKind, nameKey } from './kind.ts';
import { type GatewayNames, loadGatewayNames } from './names.ts';

export type GatewayImportDependencies = GatewayChangeDependencies;

export const gateways: ImportedKind<GatewayImportDependencies, GatewayNames, Gateway, Gateway> = {
  kind: 'GATEWAYS',
  called: 'gateway',
  loadNames: loadGatewayNames,

  findExisting: async ({ query }, organizationID, keys) => {
    const rows = await query.selectFrom('gateway').selectAll().where('id', 'in', keys).execute();
    return new Map(
      rows.map((row): [string, Existing<Gateway>] => {
        if (row.organization_id !== organizationID) return [row.id, 'inOtherOrganization'];
        const profiles = {
          gatewayProfileID: row.gateway_profile_id ?? '',
          serviceProfileID: row.service_profile_id ?? '',
        };
        return [row.id, { before: { ...fromRow(row), ...profiles, boards: [] } }];
      }),
    );
  },

  loadWhole: async ({ database, networks }, id) => {
    const row = await loadGateway(database, id);
    const network = await networks.of(row.network_server_id);
    const { gateway } = await network.getGateway({ id: Uint8Array.fromHex(id) });
    if (!gateway) throw notFound('gateway', id);
    return { ...fromRow(row), ...fromNetworkForm(gateway) };
  },

  read: readGatewayRecord,
  nameOf: ({ organizationID, name }) => ({ scope: organizationID, name }),
  findNames: async ({ query }, names) => {
    const rows = await query
      .selectFrom('gateway')
      .select(['id', 'organization_id', 'name'])
      .where('organization_id', 'in', [...new Set(names.map(({ scope }) => toRowID(scope)))])
      .where('name', 'in', [...new Set(names.map(({ name }) => name))])
      .execute();
    return new Map(rows.map((row) => [nameKey({ scope: String(row.organization_id), name: row.name }), row.id]));
  },

  callFor: (gateway, isNew) => ({
    operation: isNew ? operations.gateway.create : operations.gateway.update,
    request: { gateway },
  }),
  create: createGateway,
  update: changeGateway,
  stateOf: async ({ query }, id) => {
    const columns = ['updated_at', 'last_seen_at'] as const;
    return (await query.selectFrom('gateway').select(columns).where('id', '=', id).executeTakeFirst()) ?? null;
  },
  callToRemove: (id) => ({ operation: operations.gateway.delete, request: { id } }),
  remove: removeGateway,
};
