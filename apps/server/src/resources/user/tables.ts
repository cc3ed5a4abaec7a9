import type { Generated } from 'kysely';
import type { RowTimes } from '../../database/tables.ts';

declare module '../../database/tables.ts' {
  interface Tables {
    user: UserTable;
  }
}

export interface UserTable extends RowTimes {
  id: Generated<number>;
  email: string;
  external_id: string | null;
  email_verified: boolean;
  /** PHC text `$argon2id$v=19$m=…,t=…,p=…$salt$hash`; null for users of single sign-on without a password. */
  password_hash: string | null;
  /** The server generated the password: the user must choose another one first. */
  has_generated_password: Generated<boolean>;
  is_admin: boolean;
  is_active: boolean;
  session_ttl_minutes: number;
  note: string;
  /** Created with an invitation link that was handed over: nobody has proved to own the e-mail address. */
  has_unproven_address: Generated<boolean>;
  /** The role came from a group of the sign-in provider. */
  is_admin_by_group: Generated<boolean>;
}
