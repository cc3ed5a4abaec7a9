import { Gateway } from '@hilltop/contract';
import { searchText } from '../../database/page.ts';
import type { SourceRow } from '../source/postgres.ts';
import {
  bytes,
  flag,
  hex,
  number,
  optionalDate,
  plainUUID,
  recordTimes,
  tags,
  text,
  times,
} from '../source/read-row.ts';
import type { TargetRow } from '../target/target-rows.ts';
import { problemWith } from './contract-rules.ts';
import { buffersOf, importRows, NotImportable, rowsBy, textOfKey } from './each-row.ts';
import type { ImportPass, ImportStep } from './import-pass.ts';
import { recordRow } from './record.ts';

const what = 'gateways';

interface GatewayLocation {
  latitude: number;
  longitude: number;
  altitude: number;
}

/** What the network server stores of a batch of gateways. */
interface GatewaysAtNetworkServer {
  rows: Map<string, SourceRow>;
  boards: Map<string, SourceRow[]>;
}

export const importGateways: ImportStep = async function* (pass) {
  pass.report.count(what);
  for await (const rows of pass.database.rows('gateway')) {
    const ids = buffersOf(rows.map(({ mac }) => textOfKey(mac)));
    const there = new Map<number, GatewaysAtNetworkServer>();
    for (const [networkServerID, { database }] of pass.networks)
      there.set(networkServerID, {
        rows: await rowsBy(database, 'gateway', 'gateway_id', ids),
        boards: Map.groupBy(await database.rowsWhere('gateway_board', 'gateway_id', ids), (row) =>
          textOfKey(row['gateway_id']),
        ),
      });
    const nameInReport = ({ mac }: SourceRow) => textOfKey(mac);
    yield importRows(pass, rows, {
      what,
      nameInReport,
      problemOf,
      toTargetRows: (row) => importGateway(pass, there, row),
    });
  }
};

const problemOf = (row: SourceRow) =>
  problemWith(Gateway, {
    name: text(row, 'name'),
    description: text(row, 'description'),
    tags: tags(row, 'tags'),
    metadata: tags(row, 'metadata'),
  });

function importGateway(
  pass: ImportPass,
  there: ReadonlyMap<number, GatewaysAtNetworkServer>,
  row: SourceRow,
): TargetRow[] {
  const { imported } = pass;
  const [id, name] = [hex(row, 'mac', 8), text(row, 'name')];
  const [organizationID, networkServerID] = [number(row, 'organization_id'), number(row, 'network_server_id')];
  if (!imported.organizations.has(organizationID)) throw new NotImportable('its organization is not imported');
  if (!imported.networkServers.has(networkServerID)) throw new NotImportable('its network-server is not imported');
  const [gatewayProfileID, serviceProfileID] = [text(row, 'gateway_profile_id'), text(row, 'service_profile_id')];
  if (gatewayProfileID !== '' && !imported.gatewayProfiles.has(gatewayProfileID))
    throw new NotImportable('its gateway-profile is not imported');
  if (serviceProfileID !== '' && !imported.serviceProfiles.has(serviceProfileID))
    throw new NotImportable('its service-profile is not imported');
  const location = {
    latitude: number(row, 'latitude'),
    longitude: number(row, 'longitude'),
    altitude: number(row, 'altitude'),
  };
  const wanted: TargetRow = {
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
    nameInReport: id,
  };
  const known = there.get(networkServerID);
  const record = known?.rows.get(id);
  if (known && !record) throw new NotImportable('its network server does not know it');
  const atNetworkServer =
    known && record
      ? recordsOf(pass, networkServerID, {
          id,
          record,
          location,
          gatewayProfileID,
          serviceProfileID,
          boards: known.boards.get(id) ?? [],
        })
      : [];
  imported.gateways.set(id, networkServerID);
  return [wanted, ...atNetworkServer];
}

function recordsOf(
  { applicationServerID, report }: ImportPass,
  networkServerID: number,
  of: {
    id: string;
    record: SourceRow;
    location: GatewayLocation;
    gatewayProfileID: string;
    serviceProfileID: string;
    boards: readonly SourceRow[];
  },
): TargetRow[] {
  const { id, record } = of;
  const routingProfileID = text(record, 'routing_profile_id');
  if (routingProfileID !== applicationServerID) throw new NotImportable('it belongs to another application server');
  const certificate = record['tls_cert'];
  if (certificate instanceof Uint8Array && certificate.length > 0)
    report.find(
      'notice',
      what,
      'its client certificate stays valid at the MQTT broker it was issued for, and Hilltop does not know it',
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
    ...lastSeenRow(networkServerID, id, record),
  ];
}

function lastSeenRow(networkServerID: number, id: string, record: SourceRow): TargetRow[] {
  const [first, last] = [optionalDate(record, 'first_seen_at'), optionalDate(record, 'last_seen_at')];
  if (!first || !last) return [];
  const value = { firstSeenAt: first.getTime(), lastSeenAt: last.getTime() };
  return [recordRow(networkServerID, 'gatewaySeen', id, value)];
}

const boardOf = (row: SourceRow) => ({
  fpgaID: bytes(row, 'fpga_id', 8).toHex(),
  fineTimestampKey: bytes(row, 'fine_timestamp_key', 16).toHex(),
});
