import { Gateway } from '@hilltop/contract';
import { searchText } from '../../database/page.ts';
import type { Carry, Move } from '../move.ts';
import { bytes, flag, hex, number, optionalDate, plainUUID, recordTimes, tags, text, times } from '../read-row.ts';
import { problemWith } from '../rules.ts';
import type { SourceRow } from '../source/postgres.ts';
import type { WantedRow } from '../wanted.ts';
import { buffersOf, carryRows, LeftBehind, rowsBy, textOfKey } from './each-row.ts';
import { recordRow } from './record.ts';

const what = 'gateways';

interface GatewayLocation {
  latitude: number;
  longitude: number;
  altitude: number;
}

/** What their network server knows of a batch of gateways. */
interface AtNetworkServer {
  rows: Map<string, SourceRow>;
  boards: Map<string, SourceRow[]>;
}

export const carryGateways: Carry = async function* (move) {
  move.report.count(what);
  for await (const rows of move.database.rows('gateway')) {
    const ids = buffersOf(rows.map(({ mac }) => textOfKey(mac)));
    const there = new Map<number, AtNetworkServer>();
    for (const [networkServerID, { database }] of move.networks)
      there.set(networkServerID, {
        rows: await rowsBy(database, 'gateway', 'gateway_id', ids),
        boards: Map.groupBy(await database.rowsWhere('gateway_board', 'gateway_id', ids), (row) =>
          textOfKey(row['gateway_id']),
        ),
      });
    const called = ({ mac }: SourceRow) => textOfKey(mac);
    yield carryRows(move, rows, { what, called, problemOf, carry: (row) => carryGateway(move, there, row) });
  }
};

const problemOf = (row: SourceRow) =>
  problemWith(Gateway, {
    name: text(row, 'name'),
    description: text(row, 'description'),
    tags: tags(row, 'tags'),
    metadata: tags(row, 'metadata'),
  });

function carryGateway(move: Move, there: ReadonlyMap<number, AtNetworkServer>, row: SourceRow): WantedRow[] {
  const { carried } = move;
  const [id, name] = [hex(row, 'mac', 8), text(row, 'name')];
  const [organizationID, networkServerID] = [number(row, 'organization_id'), number(row, 'network_server_id')];
  if (!carried.organizations.has(organizationID)) throw new LeftBehind('its organization is not carried');
  if (!carried.networkServers.has(networkServerID)) throw new LeftBehind('its network-server is not carried');
  const [gatewayProfileID, serviceProfileID] = [text(row, 'gateway_profile_id'), text(row, 'service_profile_id')];
  if (gatewayProfileID !== '' && !carried.gatewayProfiles.has(gatewayProfileID))
    throw new LeftBehind('its gateway-profile is not carried');
  if (serviceProfileID !== '' && !carried.serviceProfiles.has(serviceProfileID))
    throw new LeftBehind('its service-profile is not carried');
  const location = {
    latitude: number(row, 'latitude'),
    longitude: number(row, 'longitude'),
    altitude: number(row, 'altitude'),
  };
  const wanted: WantedRow = {
    table: 'gateway',
    values: {
      ...times(row),
      id,
      name,
      organization_id: organizationID,
      network_server_id: networkServerID,
      gateway_profile_id: gatewayProfileID || null,
      service_profile_id: serviceProfileID || null,
      description: text(row, 'description'),
      discovery_enabled: flag(row, 'ping'),
      ...location,
      location_source: 'UNKNOWN',
      location_accuracy: 0,
      tags: tags(row, 'tags'),
      metadata: tags(row, 'metadata'),
      first_seen_at: optionalDate(row, 'first_seen_at'),
      last_seen_at: optionalDate(row, 'last_seen_at'),
      search_text: searchText(name, id),
    },
    called: id,
  };
  const known = there.get(networkServerID);
  const record = known?.rows.get(id);
  if (known && !record) throw new LeftBehind('its network server does not know it');
  const atNetworkServer =
    known && record
      ? recordsOf(move, networkServerID, {
          id,
          record,
          location,
          gatewayProfileID,
          serviceProfileID,
          boards: known.boards.get(id) ?? [],
        })
      : [];
  carried.gateways.set(id, networkServerID);
  return [wanted, ...atNetworkServer];
}

function recordsOf(
  { applicationServerID, report }: Move,
  networkServerID: number,
  of: {
    id: string;
    record: SourceRow;
    location: GatewayLocation;
    gatewayProfileID: string;
    serviceProfileID: string;
    boards: readonly SourceRow[];
  },
): WantedRow[] {
  const { id, record } = of;
  const routingProfileID = text(record, 'routing_profile_id');
  if (routingProfileID !== applicationServerID) throw new LeftBehind('it belongs to another application server');
  const certificate = record['tls_cert'];
  if (certificate instanceof Uint8Array && certificate.length > 0)
    report.find(
      'notice',
      what,
      'its client certificate stays good at the MQTT broker it was made for, and is not known here',
      id,
    );
  return [
    recordRow(networkServerID, 'gateway', id, {
      location: { ...of.location, source: 'UNKNOWN', accuracy: 0 },
      routingProfileID: plainUUID(routingProfileID),
      gatewayProfileID: plainUUID(of.gatewayProfileID),
      serviceProfileID: plainUUID(of.serviceProfileID),
      // In the order of their numbers.
      boards: of.boards.map(boardOf),
      ...recordTimes(record),
    }),
    ...seenOf(networkServerID, id, record),
  ];
}

function seenOf(networkServerID: number, id: string, record: SourceRow): WantedRow[] {
  const [first, last] = [optionalDate(record, 'first_seen_at'), optionalDate(record, 'last_seen_at')];
  if (!first || !last) return [];
  const value = { firstSeenAt: first.getTime(), lastSeenAt: last.getTime() };
  return [recordRow(networkServerID, 'gatewaySeen', id, value)];
}

const boardOf = (row: SourceRow) => ({
  fpgaID: bytes(row, 'fpga_id', 8).toHex(),
  fineTimestampKey: bytes(row, 'fine_timestamp_key', 16).toHex(),
});
