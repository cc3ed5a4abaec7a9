import { NetworkServer } from '@hilltop/contract';
import { embeddedServer } from '../../network/embedded-address.ts';
import { tlsKeyPurpose } from '../../network/tls-keys.ts';
import { unconnected } from '../../resources/network-server/store.ts';
import type { SourceRow } from '../source/postgres.ts';
import { flag, number, ownID, text, times } from '../source/read-row.ts';
import type { TargetRow } from '../target/target-rows.ts';
import { problemWith } from './contract-rules.ts';
import { importTable } from './each-row.ts';
import type { ImportedNetwork, ImportStep } from './import-pass.ts';
import { radioOf } from './radio.ts';

/** Network servers with a settings file become embedded ones. The others stay remote. */
export const importNetworkServers: ImportStep = (pass) =>
  importTable(pass, {
    what: 'network-servers',
    database: pass.database,
    table: 'network_server',
    nameInReport: (row) => text(row, 'name'),
    problemOf: (row) => problemWith(NetworkServer, { name: text(row, 'name') }),
    toTargetRows: (row) => {
      const id = ownID(row);
      const moved = pass.networks.get(id);
      const wanted = moved ? [embeddedRow(id, row, moved), radioRow(id, moved)] : [remoteRow(id, row)];
      pass.imported.networkServers.add(id);
      if (moved) return wanted;
      pass.report.find(
        'notice',
        'network-servers',
        'no --ns-config names it, so it stays a remote network server, which Hilltop uses by gRPC: a private address must be listed in HILLTOP_OUTGOING_ALLOW, and the last pass makes it send uplinks to HILLTOP_GRPC_PUBLIC, which it must reach',
        text(row, 'name'),
      );
      return wanted;
    },
  });

const discoveryOf = (row: SourceRow) => ({
  gateway_discovery_enabled: flag(row, 'gateway_discovery_enabled'),
  gateway_discovery_interval: number(row, 'gateway_discovery_interval'),
  gateway_discovery_tx_frequency: number(row, 'gateway_discovery_tx_frequency'),
  gateway_discovery_dr: number(row, 'gateway_discovery_dr'),
});

function embeddedRow(id: number, row: SourceRow, { region }: ImportedNetwork): TargetRow {
  const { tls_key: _, routing_profile_tls_key: __, ...nothing } = unconnected;
  const name = text(row, 'name');
  const server = embeddedServer(region.name);
  return {
    table: 'network_server',
    values: { ...nothing, ...times(row), ...discoveryOf(row), id, name, server },
    sealed: keysOf(id, '', ''),
    nameInReport: name,
  };
}

function remoteRow(id: number, row: SourceRow): TargetRow {
  const name = text(row, 'name');
  const certificates = ['ca_cert', 'tls_cert', 'routing_profile_ca_cert', 'routing_profile_tls_cert'];
  return {
    table: 'network_server',
    values: {
      ...times(row),
      ...Object.fromEntries(certificates.map((column) => [column, text(row, column)])),
      ...discoveryOf(row),
      id,
      name,
      server: text(row, 'server'),
    },
    sealed: keysOf(id, text(row, 'tls_key'), text(row, 'routing_profile_tls_key')),
    nameInReport: name,
  };
}

function keysOf(id: number, tlsKey: string, routingProfileKey: string) {
  const sealed = (column: 'tls_key' | 'routing_profile_tls_key', key: string) => ({
    plain: new TextEncoder().encode(key),
    purpose: tlsKeyPurpose(column, id),
  });
  return {
    tls_key: sealed('tls_key', tlsKey),
    routing_profile_tls_key: sealed('routing_profile_tls_key', routingProfileKey),
  };
}

/** The time for rows that have none in version 3. */
const epoch = new Date(0);

function radioRow(id: number, { file, region }: ImportedNetwork): TargetRow {
  const { settings } = radioOf(file, region);
  return {
    table: 'network_radio',
    values: { network_server_id: id, settings, updated_at: epoch },
    nameInReport: region.name,
  };
}
