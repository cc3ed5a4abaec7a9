import type { Generated } from 'kysely';
import type { RowTimes } from '../../database/tables.ts';

declare module '../../database/tables.ts' {
  interface Tables {
    organization: OrganizationTable;
    organization_user: OrganizationUserTable;
  }
}

export interface OrganizationTable extends RowTimes {
  id: Generated<number>;
  name: string;
  display_name: string;
  can_have_gateways: boolean;
  /** 0 means no limit. */
  max_gateway_count: number;
  max_device_count: number;
  /** Updated in the transaction that creates or deletes one, so that no request has to count rows. */
  gateway_count: Generated<number>;
  device_count: Generated<number>;
}

export interface OrganizationUserTable extends RowTimes {
  organization_id: number;
  user_id: number;
  is_admin: boolean;
  is_device_admin: boolean;
  is_gateway_admin: boolean;
}
