import type { KeyAccessName } from '@hilltop/contract';
import type { Generated } from 'kysely';

declare module '../../database/tables.ts' {
  interface Tables {
    api_key: APIKeyTable;
  }
}

export interface APIKeyTable {
  id: string;
  name: string;
  is_admin: boolean;
  organization_id: number | null;
  application_id: number | null;
  access: Generated<KeyAccessName>;
  created_at: Date;
  /** An e-mail address or `command line`; null when unknown. */
  created_by: Generated<string | null>;
  /** Null means never. */
  expires_at: Date | null;
  /** Null: with the key. */
  expiry_set_at: Generated<Date | null>;
  /** A replaced key cannot live longer, or be replaced again. */
  replaced_at: Generated<Date | null>;
  last_used_at: Generated<Date | null>;
  last_used_address: Generated<string | null>;
  /** Its token was signed by version 3. */
  is_from_v3: Generated<boolean>;
}
