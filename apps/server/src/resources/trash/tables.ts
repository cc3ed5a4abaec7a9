import type { TrashedName, TrashKindName } from '@hilltop/contract';
import type { Generated } from 'kysely';

declare module '../../database/tables.ts' {
  interface Tables {
    trash: TrashTable;
    trash_row: TrashRowTable;
  }
}

/** A deleted record with all it contained. */
export interface TrashTable {
  /** A UUID. */
  id: string;
  organization_id: number;
  /** Of a device that was deleted on its own. */
  application_id: number | null;
  kind: TrashKindName;
  record_id: string;
  name: string;
  /** An e-mail address or the name of an API key. */
  deleted_by: string;
  deleted_at: Date;
  /** Its deletion goes on, or was interrupted. */
  is_partial: boolean;
  /** Of the bodies of its rows. */
  bytes: Generated<number>;
}

/** One of the records, in the order in which they were deleted. */
interface TrashRowTable {
  id: Generated<number>;
  trash_id: string;
  kind: TrashedName;
  record_id: string;
  /** The layout of the body: see `body.ts`. */
  format: number;
  /** Sealed JSON. */
  body: Uint8Array;
  /**
   * Of a device: its `log_from`, for as long as its history is kept. Null when another device with the DevEUI was
   * registered and deleted since, and for other kinds.
   */
  log_from: number | null;
}
