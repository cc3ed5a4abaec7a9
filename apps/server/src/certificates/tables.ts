import type { Generated } from 'kysely';

declare module '../database/tables.ts' {
  interface Tables {
    own_certificate: OwnCertificateTable;
    client_certificate: ClientCertificateTable;
  }
}

/** A certificate of this server, with its key. */
interface OwnCertificateTable {
  /** `server`, `applications` and `gateways` are authorities, `mqtt` is the certificate of the MQTT listener. */
  name: string;
  /** PEM. */
  cert: string;
  /** PKCS #8, sealed. */
  key: Uint8Array;
  created_at: Date;
}

/** A client certificate that authenticates a program or a gateway. */
interface ClientCertificateTable {
  /** Lower-case hexadecimal. */
  serial: string;
  /** The authority that signed it: `applications`, `gateways`, or `settings` for the authority of the settings. */
  authority: string;
  /** Set for a program. */
  application_id: number | null;
  /** Set for a gateway. */
  gateway_id: Generated<string | null>;
  issued_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
  /** Rounded to the hour. */
  last_used_at: Generated<Date | null>;
}
