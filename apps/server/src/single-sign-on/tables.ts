declare module '../database/tables.ts' {
  interface Tables {
    used_sign_on: UsedSignOnTable;
  }
}

/** A finished single sign-on: its `state` is not accepted again. */
interface UsedSignOnTable {
  id: string;
  expires_at: Date;
}

export {};
