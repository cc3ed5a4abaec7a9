import type { NetworkServer } from '@hilltop/contract';
import { type TLSKeyColumns, tlsKeyPurpose } from '../../network/tls-keys.ts';
import type { Secrets } from '../../secrets.ts';

/**
 * The keys after a create or update: a given key replaces the stored one, a blank one keeps it while there is a
 * certificate, and without a certificate the key is removed.
 */
export function sealKeys(secrets: Secrets, server: NetworkServer, id: number, stored: TLSKeyColumns): TLSKeyColumns {
  const next = (column: keyof TLSKeyColumns, cert: string, key: string) => {
    if (cert === '') return new Uint8Array();
    return key === '' ? stored[column] : secrets.seal(new TextEncoder().encode(key), tlsKeyPurpose(column, id));
  };
  return {
    tls_key: next('tls_key', server.tlsCert, server.tlsKey),
    routing_profile_tls_key: next('routing_profile_tls_key', server.routingProfileTLSCert, server.routingProfileTLSKey),
  };
}
