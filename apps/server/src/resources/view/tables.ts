import type { ViewList } from '@hilltop/contract';

declare module '../../database/tables.ts' {
  interface Tables {
    view: ViewTable;
  }
}

export interface ViewTable {
  id: string;
  user_id: number;
  /** Null: the list over all organizations. */
  organization_id: number | null;
  list: ViewList;
  name: string;
  query: string;
  is_start: boolean;
}
