import { NetworkServer } from '@hilltop/contract';
import { embeddedServer } from '../../network/embedded-address.ts';
import { tlsKeyPurpose } from '../../network/tls-keys.ts';
import { unconnected } from '../../resources/network-server/store.ts';
import type { Carry, MovedNetwork } from '../move.ts';

import { radioOf } from '../radio.ts';
import { flag, number, ownID, text, times } from '../read-row.ts';
import { problemWith } from '../rules.ts';
import type { SourceRow } from '../source/postgres.ts';
import type { WantedRow } from '../wanted.ts';
import { carryTable } from './each-row.ts';

/** Those whose file was given become network servers inside this process; the others stay where they are. */
export const carryNetworkServers: Carry = (move) =>
  carryTable(move, {
    what: 'network-servers',
    database: move.database,
    table: 'network_server',
    called: (row) => text(row, 'name'),
    problemOf: (row) => problemWith(NetworkServer, { name: text(row, 'name') }),
    carry: (row) => {
      const id = ownID(row);
      const moved = move.networks.get(id);
      const wanted = moved ? [embeddedRow(id, row, moved), radioRow(id, moved)] : [remoteRow(id, row)];
      move.carried.networkServers.add(id);
      if (moved) return wanted;
      move.report.find(
        'notice',
        'network-servers',
        'no --ns-config was given for it, so it stays where it is and is spoken to by gRPC: its address must be in HILLTOP_OUTGOING_ALLOW when it is private, and the last pass tells it to send what it hears to HILLTOP_GRPC_PUBLIC, which it must reach',
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

function embeddedRow(id: number, row: SourceRow, { region }: MovedNetwork): WantedRow {
  const { tls_key: _, routing_profile_tls_key: __, ...nothing } = unconnected;
  const name = text(row, 'name');
  const server = embeddedServer(region.name);
  return {
    table: 'network_server',
    values: { ...nothing, ...times(row), ...discoveryOf(row), id, name, server },
    sealed: keysOf(id, '', ''),
    called: name,
  };
}

function remoteRow(id: number, row: SourceRow): WantedRow {
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
    called: name,
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

/** The time of a row that has none of its own in version 3. */
const ever = new Date(0);

function radioRow(id: number, { file, region }: MovedNetwork): WantedRow {
  const { settings } = radioOf(file, region);
  return {
    table: 'network_radio',
    values: { network_server_id: id, settings, updated_at: ever },
    called: region.name,
  };
}
