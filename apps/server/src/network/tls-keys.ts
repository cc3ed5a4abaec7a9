import type { Secrets } from '../secrets.ts';

/** Columns with a sealed TLS key of a network-server. */
export interface TLSKeyColumns {
  tls_key: Uint8Array;
  routing_profile_tls_key: Uint8Array;
}

/** The PEM text of a stored key; '' when there is none. */
export function openKey(
  secrets: Pick<Secrets, 'open'>,
  row: { id: number } & TLSKeyColumns,
  column: keyof TLSKeyColumns,
): string {
  return new TextDecoder().decode(secrets.open(row[column], tlsKeyPurpose(column, row.id)));
}

/** The purpose with which a key is sealed. */
export function tlsKeyPurpose(column: keyof TLSKeyColumns, id: number): string {
  return `network_server.${column}:${id}`;
}
