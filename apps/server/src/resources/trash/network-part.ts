import type { TrashedName } from '@hilltop/contract';
import { fromBinary, ns, RpcError, toBinary } from '@hilltop/protobuf';
import type { Database } from '../../database/database.ts';
import { isEmbedded } from '../../network/embedded-address.ts';
import type { Networks } from '../../network/network-servers.ts';
import { sessionBody, sessionOf } from '../../network/session-body.ts';
import { decodeRow, encodeRow, type NetworkPart, type TableRow } from './body.ts';
import { restoredCounterGap, storedKinds } from './kinds.ts';

interface NetworkPartDependencies {
  database: Database;
  networks: Networks;
}

export type NetworkParts = ReadonlyMap<string, NetworkPart>;

/** The network servers with their rows: whether each is embedded. */
async function embeddedServers({ query }: Database): Promise<ReadonlySet<number>> {
  const rows = await query.selectFrom('network_server').select(['id', 'server']).execute();
  return new Set(rows.filter(isEmbedded).map(({ id }) => id));
}

/**
 * What network servers store of records, without those of remote network servers in `known`. The state of an embedded one
 * must be read in the transaction that deletes it, or a restored device would accept uplinks of the time between again.
 */
export async function readNetworkParts(
  needs: NetworkPartDependencies,
  kind: TrashedName,
  ids: readonly string[],
  known: NetworkParts = new Map(),
): Promise<NetworkParts> {
  const { network } = storedKinds[kind];
  if (!network) return known;
  const { database } = needs;
  const embedded = await embeddedServers(database);
  const parts = new Map(known);
  const unknown = (await network.servers(database, ids)).filter(({ id }) => !known.has(id));
  for (const { id, server } of unknown) {
    const part = await readRecord(needs, kind, id, server);
    if (part)
      parts.set(id, embedded.has(server) ? part : { ...part, ...(await readActivation(needs, kind, part, id)) });
  }
  if (kind !== 'DEVICE' || ids.length === 0) return parts;
  for (const [server, ofServer] of Map.groupBy(parts, ([, { networkServerID }]) => networkServerID)) {
    const devEUIs = ofServer.map(([id]) => id);
    const sessions = await rowsOfDevices(database, 'ns_session', server, devEUIs);
    const activations = await rowsOfDevices(database, 'ns_activation', server, devEUIs);
    for (const [id, part] of ofServer)
      parts.set(id, { ...part, sessions: sessions.get(id) ?? [], activations: activations.get(id) ?? [] });
  }
  return parts;
}

async function rowsOfDevices(
  { query }: Database,
  table: 'ns_session' | 'ns_activation',
  networkServerID: number,
  devEUIs: readonly string[],
): Promise<ReadonlyMap<string, TableRow[]>> {
  const rows = await query
    .selectFrom(table)
    .selectAll()
    .where('network_server_id', '=', networkServerID)
    .where('dev_eui', 'in', devEUIs)
    .execute();
  const encoded = new Map<string, TableRow[]>();
  for (const row of rows) {
    const ofDevice = encoded.get(row.dev_eui);
    if (ofDevice) ofDevice.push(encodeRow({ ...row }));
    else encoded.set(row.dev_eui, [encodeRow({ ...row })]);
  }
  return encoded;
}

/** What remote network servers store of records: read it before the transaction that deletes them. */
export async function readRemoteParts(
  needs: NetworkPartDependencies,
  kind: TrashedName,
  ids: readonly string[],
): Promise<NetworkParts> {
  const { network } = storedKinds[kind];
  if (!network || ids.length === 0) return new Map();
  const embedded = await embeddedServers(needs.database);
  const remote = (await network.servers(needs.database, ids)).filter(({ server }) => !embedded.has(server));
  const ofRemote = remote.map(({ id }) => id);
  return ofRemote.length === 0 ? new Map() : readNetworkParts(needs, kind, ofRemote);
}

/** Undefined when the network server does not know the record. */
async function readRecord(
  { networks }: NetworkPartDependencies,
  kind: TrashedName,
  id: string,
  networkServerID: number,
): Promise<NetworkPart | undefined> {
  const record = await unlessNotFound(storedKinds[kind].network!.read(await networks.of(networkServerID), id));
  return record ? { networkServerID, record: record.toBase64() } : undefined;
}

async function readActivation(
  { networks }: NetworkPartDependencies,
  kind: TrashedName,
  { networkServerID }: NetworkPart,
  id: string,
): Promise<Pick<NetworkPart, 'activation'>> {
  if (kind !== 'DEVICE') return {};
  const network = await networks.of(networkServerID);
  const found = await unlessNotFound(network.getDeviceActivation({ devEui: Uint8Array.fromHex(id) }));
  const activation = found?.deviceActivation;
  return activation ? { activation: toBinary(ns.DeviceActivation, activation).toBase64() } : {};
}

async function unlessNotFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RpcError && error.code === 'NotFound') return undefined;
    throw error;
  }
}

/** Creates a record at its network server again, with its session. Call it in a transaction. */
export async function restoreNetworkPart(
  { database, networks }: NetworkPartDependencies,
  kind: TrashedName,
  { networkServerID, record, activation, sessions = [], activations = [] }: NetworkPart,
): Promise<void> {
  const network = await networks.of(networkServerID);
  await ignoreExisting(kind, storedKinds[kind].network!.create(network, Uint8Array.fromBase64(record)));
  if (activation) {
    const former = fromBinary(ns.DeviceActivation, Uint8Array.fromBase64(activation));
    const nFCntDown = former.nFCntDown + restoredCounterGap;
    const aFCntDown = former.aFCntDown + restoredCounterGap;
    await network.activateDevice({ deviceActivation: { ...former, nFCntDown, aFCntDown } });
  }
  for (const row of sessions) await database.query.insertInto('ns_session').values(restoredSession(row)).execute();
  for (const row of activations) {
    const { id: _former, ...rest } = decodeRow(row);
    await database.query
      .insertInto('ns_activation')
      .values(rest as never)
      .onConflict((on) => on.doNothing())
      .execute();
  }
}

/** A gateway may exist at its network server already, as when one is created. */
async function ignoreExisting(kind: TrashedName, call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(kind === 'GATEWAY' && error instanceof RpcError && error.code === 'AlreadyExists')) throw error;
  }
}

/** The session of a row with downlink counters that no frame has used; its uplink counter is the one of the deletion. */
function restoredSession(row: TableRow) {
  const values = decodeRow(row) as { body: string };
  const session = sessionOf(values.body);
  const nFCntDown = session.nFCntDown + restoredCounterGap;
  const aFCntDown = session.aFCntDown + restoredCounterGap;
  return { ...values, body: sessionBody({ ...session, nFCntDown, aFCntDown }) } as never;
}
