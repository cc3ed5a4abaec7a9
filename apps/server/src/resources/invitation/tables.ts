import type { Generated } from 'kysely';

declare module '../../database/tables.ts' {
  interface Tables {
    invitation: InvitationTable;
  }
}

export type InvitationState = 'OPEN' | 'ACCEPTED' | 'REVOKED';

export interface InvitationTable {
  /** A UUID. */
  id: string;
  organization_id: number;
  email: string;
  is_admin: boolean;
  is_device_admin: boolean;
  is_gateway_admin: boolean;
  is_read_only: Generated<boolean>;
  /** As in `organization_user`. */
  application_ids: string | null;
  /** SHA-256 of the token, hexadecimal. */
  token_hash: string;
  state: InvitationState;
  /** Who invited last: the rights of this user count when the invitation is accepted. */
  created_by: number;
  created_at: Date;
  expires_at: Date;
  /** Null: the link was handed over. */
  mailed_at: Date | null;
}
