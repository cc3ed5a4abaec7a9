import { searchText } from '../../database/page.ts';
import type { Carry, Move } from '../move.ts';
import { strictNameProblem } from '../names.ts';

import { bytes, flag, hex, number, optionalDate, plainUUID, recordTimes, tags, text, times } from '../read-row.ts';
import type { SourceRow } from '../source/postgres.ts';
import type { Wanted } from '../wanted.ts';
import { buffersOf, carryRows, LeftBehind, rowsBy, textOfKey } from './each-row.ts';
import { recordRow } from './record.ts';

const what = 'gateways';

/** What their network server knows of a batch of gateways. */
interface AtNetworkServer {
  rows: Map<string, SourceRow>;
  boards: Map<string, { fpgaID: string; fineTimestampKey: string }[]>;
}

export const carryGateways: Carry = async function* (move) {
  move.report.count(what);
  for await (const rows of move.database.rows('gateway')) {
    const ids = buffersOf(rows.map(({ mac }) => textOfKey(mac)));
    const there = new Map<number, AtNetworkServer>();
    for (const [networkServerID, { database }] of move.networks)
      there.set(networkServerID, {
        rows: await rowsBy(database, 'gateway', 'gateway_id', ids),
        boards: boardsOf(await database.rowsWhere('gateway_board', 'gateway_id', ids)),
      });
    const called = ({ mac }: SourceRow) => textOfKey(mac);
    yield carryRows(move, rows, { what, called, carry: (row) => carryGateway(move, there, row) });
  }
};

function carryGateway(move: Move, there: ReadonlyMap<number, AtNetworkServer>, row: SourceRow): Wanted[] {
  const { carried, report } = move;
  const [id, name] = [hex(row, 'mac', 8), text(row, 'name')];
  const [organizationID, networkServerID] = [number(row, 'organization_id'), number(row, 'network_server_id')];
  if (!carried.organizations.has(organizationID)) throw new LeftBehind('its organization is not carried');
  if (!carried.networkServers.has(networkServerID)) throw new LeftBehind('its network-server is not carried');
  const [gatewayProfileID, serviceProfileID] = [text(row, 'gateway_profile_id'), text(row, 'service_profile_id')];
  if (gatewayProfileID !== '' && !carried.gatewayProfiles.has(gatewayProfileID))
    throw new LeftBehind('its gateway-profile is not carried');
  if (serviceProfileID !== '' && !carried.serviceProfiles.has(serviceProfileID))
    throw new LeftBehind('its service-profile is not carried');
  const problem = strictNameProblem(name);
  if (problem) report.find('notice', what, `carried as it is, and refused when it is edited: ${problem}`, name);

  const location = {
    latitude: number(row, 'latitude'),
    longitude: number(row, 'longitude'),
    altitude: number(row, 'altitude'),
  };
  const wanted: Wanted = {
    table: 'gateway',
    values: {
      ...times(row),
      ...{ id, name, organization_id: organizationID, network_server_id: networkServerID },
      gateway_profile_id: gatewayProfileID || null,
      service_profile_id: serviceProfileID || null,
      description: text(row, 'description'),
      discovery_enabled: flag(row, 'ping'),
      ...location,
      ...{ location_source: 'UNKNOWN', location_accuracy: 0 },
      tags: tags(row, 'tags'),
      metadata: tags(row, 'metadata'),
      first_seen_at: optionalDate(row, 'first_seen_at'),
      last_seen_at: optionalDate(row, 'last_seen_at'),
      search_text: searchText(name, id),
    },
    called: id,
  };
  carried.gateways.set(id, networkServerID);
  const known = there.get(networkServerID);
  if (!known) return [wanted];
  const record = known.rows.get(id);
  if (!record) {
    carried.gateways.delete(id);
    throw new LeftBehind('its network server does not know it');
  }
  const routingProfileID = text(record, 'routing_profile_id');
  if (routingProfileID !== move.applicationServerID) {
    carried.gateways.delete(id);
    throw new LeftBehind('it belongs to another application server');
  }
  if (record['tls_cert'])
    report.find(
      'notice',
      what,
      'its client certificate stays good at the MQTT broker it was made for, and is not known here',
      id,
    );
  return [
    wanted,
    recordRow(networkServerID, 'gateway', id, {
      location: { ...location, source: 'UNKNOWN', accuracy: 0 },
      routingProfileID: plainUUID(routingProfileID),
      gatewayProfileID: plainUUID(gatewayProfileID),
      serviceProfileID: plainUUID(serviceProfileID),
      boards: known.boards.get(id) ?? [],
      ...recordTimes(record),
    }),
    ...seenOf(networkServerID, id, record),
  ];
}

function seenOf(networkServerID: number, id: string, record: SourceRow): Wanted[] {
  const [first, last] = [optionalDate(record, 'first_seen_at'), optionalDate(record, 'last_seen_at')];
  if (!first || !last) return [];
  const value = { firstSeenAt: first.getTime(), lastSeenAt: last.getTime() };
  return [recordRow(networkServerID, 'gatewaySeen', id, value)];
}

/** In the order of their numbers. */
function boardsOf(rows: readonly SourceRow[]): AtNetworkServer['boards'] {
  const boards: AtNetworkServer['boards'] = new Map();
  for (const row of rows) {
    const id = textOfKey(row['gateway_id']);
    const board = {
      fpgaID: bytes(row, 'fpga_id', 8).toHex(),
      fineTimestampKey: bytes(row, 'fine_timestamp_key', 16).toHex(),
    };
    boards.set(id, [...(boards.get(id) ?? []), board]);
  }
  return boards;
}
