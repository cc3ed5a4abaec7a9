import { notFound, operations } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { integration, RpcError } from '@hilltop/protobuf';
import type { Database } from '../../database/database.ts';
import { mayCall } from '../../identity/access.ts';
import type { Principal } from '../../identity/principals.ts';
import { regionOf } from '../../network/embedded-address.ts';
import { type LoggedJoin, readJoinLog } from '../../network/join-log.ts';
import type { UnknownDevAddrs } from '../../network/join-reports.ts';
import type { Networks } from '../../network/network-servers.ts';
import { receptionsOf, type UnknownDeviceRow, type UnknownDeviceRows } from '../../network/unknown-device-rows.ts';
import type { UnknownDevices } from '../../network/unknown-devices.ts';
import type { Secrets } from '../../secrets.ts';
import { loadDevice } from '../device/store.ts';
import { namesOfOwnGateways } from '../gateway/names.ts';
import { fittingKey, type KeyFit } from './fitting-key.ts';

export interface FactsDependencies {
  config: { joinServers: readonly unknown[] };
  database: Database;
  secrets: Secrets;
  clock: Clock;
  networks: Networks;
  unknownDevices: UnknownDevices;
  unknownDeviceRows: UnknownDeviceRows;
  unknownDevAddrs: UnknownDevAddrs;
}

/** What is known about the joins of a device. */
export interface JoinFacts {
  devEUI: string;
  createdAt: number;
  lastSeenAt: number | null;
  /** Whether it has or had a session. */
  wasActivated: boolean;
  region: string;
  networkServer: 'RUNNING' | 'REMOTE' | 'NOT_RUNNING';
  isDisabled: boolean;
  /** Undefined when the network server does not answer. */
  supportsJoin: boolean | undefined;
  hasKeys: boolean;
  hasJoinServers: boolean;
  /** The latest first. */
  joins: readonly LoggedJoin[];
  /** Whether DevNonces of earlier joins are stored. */
  hasDevNonces: boolean;
  /** The key that signed the last join-request, where it did not fit. */
  keyFit: KeyFit | null;
  /** Unregistered devices whose EUIs resemble those of this one, the latest first. */
  lookalikes: readonly UnknownDeviceRow[];
  /** When a frame with a DevAddr of an earlier session was received. */
  formerSession: { devAddr: string; at: number } | null;
  /** The last error of a join, for remote network servers. */
  lastError: { at: number; text: string } | null;
  /** Names of the gateways of the organization, by ID. */
  gatewayNames: ReadonlyMap<string, string>;
  maySeeKeys: boolean;
}

export const reversedHex = (hex: string): string => Uint8Array.fromHex(hex).toReversed().toHex();

export async function readFacts(needs: FactsDependencies, devEUI: string, principal: Principal): Promise<JoinFacts> {
  const { database, networks, unknownDevices, unknownDeviceRows, clock } = needs;
  const device = await loadDevice(database, devEUI);
  const { network_server_id, device_profile_id, application_id } = device;
  await unknownDevices.saveForReader();
  const { server, organization_id } = await ownerOf(database, network_server_id, application_id);
  const { joins, lastFrame } = await readJoinLog(database, devEUI);
  const maySeeKeys = await mayCall(needs, operations.device.getKeys, { devEUI }, principal);
  const wrongKey = joins[0]?.outcome === 'WRONG_KEY' && lastFrame;
  const keys = database.query.selectFrom('device_keys').select('dev_eui').where('dev_eui', '=', devEUI);
  const euis = [devEUI, reversedHex(devEUI)];
  return {
    devEUI,
    createdAt: device.created_at.getTime(),
    lastSeenAt: device.last_seen_at?.getTime() ?? null,
    wasActivated: device.dev_addr !== '',
    region: regionOf({ server }) ?? '',
    ...(await readNetwork(networks, network_server_id, { devEUI, device_profile_id, server })),
    hasKeys: (await keys.executeTakeFirst()) !== undefined,
    hasJoinServers: needs.config.joinServers.length > 0,
    joins,
    keyFit: wrongKey ? await fittingKey(needs, { devEUI, applicationID: application_id, frame: wrongKey }) : null,
    lookalikes: await unregistered(
      database,
      organization_id,
      await unknownDeviceRows.withEUI(euis, clock.now().getTime()),
    ),
    ...(await readActivations(needs, devEUI, device.dev_addr)),
    lastError: await readLastError(database, devEUI),
    gatewayNames: await namesOfOwnGateways(database, organization_id, gatewaysOf(joins)),
    maySeeKeys,
  };
}

async function ownerOf({ query }: Database, networkServerID: number, applicationID: number) {
  return await query
    .selectFrom('application')
    .innerJoin('network_server', (join) => join.on('network_server.id', '=', networkServerID))
    .select(['application.organization_id', 'network_server.server'])
    .where('application.id', '=', applicationID)
    .executeTakeFirstOrThrow();
}

/** What only the network server stores. One that does not answer leaves it open. */
async function readNetwork(
  networks: Networks,
  networkServerID: number,
  { devEUI, device_profile_id: id, server }: { devEUI: string; device_profile_id: string; server: string },
): Promise<Pick<JoinFacts, 'networkServer' | 'isDisabled' | 'supportsJoin'>> {
  const isRemote = regionOf({ server }) === undefined;
  try {
    const network = await networks.of(networkServerID);
    const { device } = await network.getDevice({ devEui: Uint8Array.fromHex(devEUI) });
    if (!device) throw notFound('device', devEUI);
    const { deviceProfile } = await network.getDeviceProfile({ id: Uint8Array.fromHex(id.replaceAll('-', '')) });
    return {
      networkServer: isRemote ? 'REMOTE' : 'RUNNING',
      isDisabled: device.isDisabled,
      supportsJoin: deviceProfile?.supportsJoin,
    };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const networkServer = isRemote ? 'REMOTE' : error.code === 'Unavailable' ? 'NOT_RUNNING' : 'RUNNING';
    return { networkServer, isDisabled: false, supportsJoin: undefined };
  }
}

/** Of these devices, those that are not registered and that gateways of the organization received: it may not see others. */
async function unregistered(
  database: Database,
  organizationID: number,
  rows: UnknownDeviceRow[],
): Promise<UnknownDeviceRow[]> {
  if (rows.length === 0) return rows;
  const euis = rows.map(({ dev_eui }) => dev_eui);
  const registered = await database.query.selectFrom('device').select('dev_eui').where('dev_eui', 'in', euis).execute();
  const gatewaysOfRow = (row: UnknownDeviceRow) => receptionsOf(row).map(({ gatewayID }) => gatewayID);
  const own = await namesOfOwnGateways(database, organizationID, rows.flatMap(gatewaysOfRow));
  return rows.filter(
    (row) => !registered.some(({ dev_eui }) => dev_eui === row.dev_eui) && gatewaysOfRow(row).some((id) => own.has(id)),
  );
}

const mostFormerSessions = 100;

async function readActivations({ database, unknownDevAddrs }: FactsDependencies, devEUI: string, current: string) {
  const activations = await database.query
    .selectFrom('ns_activation')
    .select('dev_addr')
    .where('dev_eui', '=', devEUI)
    .orderBy('id', 'desc')
    .limit(mostFormerSessions)
    .execute();
  const former = [...new Set([...activations.map(({ dev_addr }) => dev_addr), current])];
  const heard = former.flatMap((devAddr) => {
    const at = devAddr === '' ? undefined : unknownDevAddrs.heardAt(devAddr);
    return at === undefined ? [] : [{ devAddr, at }];
  });
  const [formerSession = null] = heard.sort((one, other) => other.at - one.at);
  return { hasDevNonces: activations.length > 0, formerSession };
}

async function readLastError({ query }: Database, devEUI: string): Promise<JoinFacts['lastError']> {
  const row = await query
    .selectFrom('last_error')
    .select(['at', 'payload'])
    .where('dev_eui', '=', devEUI)
    .where('kind', '=', integration.ErrorType.numbers.OTAA)
    .executeTakeFirst();
  if (!row) return null;
  const { error = '' } = JSON.parse(row.payload) as { error?: string };
  return { at: row.at, text: error };
}

const gatewaysOf = (joins: readonly LoggedJoin[]): string[] =>
  joins.flatMap(({ receptions, answers }) => [...receptions, ...answers].map(({ gatewayID }) => gatewayID));
