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
  /** Null means never. */
  expires_at: Date | null;
  /** Its token was signed by version 3. */
  is_from_v3: Generated<boolean>;
}
