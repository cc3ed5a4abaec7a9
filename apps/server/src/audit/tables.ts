import type { AuditActorKind } from '@hilltop/contract';
import type { Generated } from 'kysely';

declare module '../database/tables.ts' {
  interface Tables {
    audit: AuditTable;
  }
}

/** Entries are never changed. Texts that are not known are empty. */
export interface AuditTable {
  id: Generated<number>;
  at: Date;
  actor_kind: AuditActorKind;
  actor_id: string;
  /** An e-mail address or the name of an API key. */
  actor_name: string;
  address: string;
  /** 0: the installation. */
  organization_id: number;
  operation: string;
  /** Kind and ID: `device/0102030405060708`. */
  subject: string;
  subject_name: string;
  /** JSON: `StoredChanges`. */
  changes: string;
  outcome: string;
  request_id: string;
  job_id: string;
}
