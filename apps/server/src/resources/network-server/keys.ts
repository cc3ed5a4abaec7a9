import type { NetworkServer } from '@hilltop/contract';
import type { Secrets } from '../../secrets.ts';
import type { NetworkServerRow } from './store.ts';

/** The TLS keys of a network-server: write-only in the API. */

type KeyColumns = Pick<NetworkServerRow, 'tls_key' | 'routing_profile_tls_key'>;

/**
 * The keys after a create or update: a given key replaces the stored one, a blank one keeps it while there is a
 * certificate, and without a certificate the key is removed.
 */
export function sealKeys(secrets: Secrets, server: NetworkServer, id: number, stored: KeyColumns): KeyColumns {
  const next = (column: keyof KeyColumns, cert: string, key: string) => {
    if (cert === '') return new Uint8Array();
    return key === '' ? stored[column] : secrets.seal(new TextEncoder().encode(key), tlsKeyPurpose(column, id));
  };
  return {
    tls_key: next('tls_key', server.tlsCert, server.tlsKey),
    routing_profile_tls_key: next('routing_profile_tls_key', server.routingProfileTLSCert, server.routingProfileTLSKey),
  };
}

/** The PEM text of a stored key; '' when there is none. */
export function openKey(
  secrets: Secrets,
  row: Pick<NetworkServerRow, 'id'> & KeyColumns,
  column: keyof KeyColumns,
): string {
  return new TextDecoder().decode(secrets.open(row[column], tlsKeyPurpose(column, row.id)));
}

/** The purpose with which a key is sealed. */
export function tlsKeyPurpose(column: keyof KeyColumns, id: number): string {
  return `network_server.${column}:${id}`;
}
