import type { Generated } from 'kysely';

declare module '../../database/tables.ts' {
  interface Tables {
    session: SessionTable;
  }
}

/** A signed-in browser. Its token is valid only while the row exists. */
interface SessionTable {
  id: string;
  user_id: number;
  created_at: Date;
  expires_at: Date;
  /** Rounded to the minute; null in rows of versions that did not store it. */
  last_used_at: Date | null;
  /** The address the sign-in came from, and the user agent of the browser. */
  address: Generated<string>;
  agent: Generated<string>;
  /** The provider of single sign-on has authenticated the user. */
  is_single_sign_on: Generated<boolean>;
}
