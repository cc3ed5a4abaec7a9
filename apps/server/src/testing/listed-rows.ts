import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import type { Database } from '../database/database.ts';
import { searchText } from '../database/page.ts';
import type { Tables } from '../database/tables.ts';

type DeviceRow = Insertable<Tables['device']>;
type GatewayRow = Insertable<Tables['gateway']>;

/** Two organizations with two applications and two device-profiles each. */
export interface ListOwners {
  networkServerID: number;
  gatewayProfileID: string;
  organizations: {
    id: number;
    serviceProfileID: string;
    applicationIDs: number[];
    profiles: { id: string; intervalMs: number }[];
  }[];
}

const hourMs = 3_600_000;
const rowsPerStatement = 500;

/** Inserts the owners of the rows of a list, without a network server that knows them. */
export async function insertListOwners({ query }: Database, now: Date): Promise<ListOwners> {
  const times = { created_at: now, updated_at: now };
  const scripts = { payload_codec: '', payload_encoder_script: '', payload_decoder_script: '' };
  const none = new Uint8Array();
  const server = await query
    .insertInto('network_server')
    .values({
      ...{ name: 'ns', server: 'ns:8000', ca_cert: '', tls_cert: '', tls_key: none, routing_profile_ca_cert: '' },
      ...{ routing_profile_tls_cert: '', routing_profile_tls_key: none, gateway_discovery_enabled: false },
      ...{ gateway_discovery_interval: 0, gateway_discovery_tx_frequency: 0, gateway_discovery_dr: 0, ...times },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const gatewayProfileID = randomUUID();
  await query
    .insertInto('gateway_profile')
    .values({ id: gatewayProfileID, network_server_id: server.id, name: 'gp', stats_interval_ms: 30_000, ...times })
    .execute();
  const organizations: ListOwners['organizations'] = [];
  for (const name of ['own', 'other']) {
    const limits = { can_have_gateways: true, max_gateway_count: 0, max_device_count: 0 };
    const { id } = await query
      .insertInto('organization')
      .values({ name, display_name: name, ...limits, ...times })
      .returning('id')
      .executeTakeFirstOrThrow();
    const owned = { organization_id: id, network_server_id: server.id, ...times };
    const serviceProfileID = randomUUID();
    await query
      .insertInto('service_profile')
      .values({ id: serviceProfileID, name: 'sp', ...owned })
      .execute();
    const profiles = [hourMs, 24 * hourMs].map((intervalMs) => ({ id: randomUUID(), intervalMs }));
    const profileRows = profiles.map(({ id: profileID, intervalMs }) => {
      return { id: profileID, name: profileID, tags: {}, uplink_interval_ms: intervalMs, ...scripts, ...owned };
    });
    await query.insertInto('device_profile').values(profileRows).execute();
    const application = {
      service_profile_id: serviceProfileID,
      description: '',
      search_text: '',
      ...scripts,
      ...times,
    };
    const rows = await query
      .insertInto('application')
      .values(['first', 'second'].map((one) => ({ organization_id: id, name: `${name}-${one}`, ...application })))
      .returning('id')
      .execute();
    organizations.push({ id, serviceProfileID, applicationIDs: rows.map((row) => row.id), profiles });
  }
  return { networkServerID: server.id, gatewayProfileID, organizations };
}

/** Inserts rows of devices, with the columns that a test sets. */
export async function insertDeviceRows(
  { query }: Database,
  rows: readonly (Pick<DeviceRow, 'dev_eui' | 'application_id' | 'device_profile_id'> & Partial<DeviceRow>)[],
  now: Date,
): Promise<void> {
  const usual = { description: '', variables: {}, tags: {}, app_s_key: new Uint8Array(), created_at: now };
  for (let at = 0; at < rows.length; at += rowsPerStatement) {
    const values = rows.slice(at, at + rowsPerStatement).map((row): DeviceRow => {
      const name = row.name ?? `device-${row.dev_eui}`;
      return { ...usual, name, search_text: searchText(name, row.dev_eui), updated_at: now, ...row };
    });
    await query.insertInto('device').values(values).execute();
  }
  await query
    .updateTable('application')
    .set((eb) => ({
      device_count: eb
        .selectFrom('device')
        .select((of) => of.fn.countAll<number>().as('count'))
        .whereRef('device.application_id', '=', 'application.id'),
    }))
    .execute();
}

export async function insertGatewayRows(
  { query }: Database,
  rows: readonly (Pick<GatewayRow, 'id' | 'organization_id' | 'network_server_id'> & Partial<GatewayRow>)[],
  now: Date,
): Promise<void> {
  const usual = { description: '', discovery_enabled: false, latitude: 0, longitude: 0, altitude: 0, metadata: {} };
  const values = rows.map((row): GatewayRow => {
    const location = { location_source: 'UNKNOWN', location_accuracy: 0 };
    const text = { name: `gateway-${row.id}`, search_text: row.id };
    return { ...usual, ...location, ...text, tags: {}, created_at: now, updated_at: now, ...row };
  });
  for (let at = 0; at < values.length; at += rowsPerStatement)
    await query
      .insertInto('gateway')
      .values(values.slice(at, at + rowsPerStatement))
      .execute();
}
