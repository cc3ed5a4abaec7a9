import type { Generated } from 'kysely';
import type { RowTimes } from '../../database/tables.ts';

declare module '../../database/tables.ts' {
  interface Tables {
    organization_user: OrganizationUserTable;
  }
}

export interface OrganizationUserTable extends RowTimes {
  organization_id: number;
  user_id: number;
  is_admin: boolean;
  is_device_admin: boolean;
  is_gateway_admin: boolean;
  is_read_only: Generated<boolean>;
  /** JSON list of the applications that the membership is limited to, deleted ones included; null means all. */
  application_ids: string | null;
  /** The membership came from a group of the sign-in provider. */
  is_by_group: Generated<boolean>;
}
