import type { FileImportKind } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { Principal } from '../../identity/principals.ts';
import type { RowCall } from '../job/kind.ts';
import type { RowProblem } from './plan.ts';
import type { RowValues } from './values.ts';

/** An existing record with the key of a row. */
export type Existing<Before> = { before: Before } | 'inOtherOrganization';

/** How rows become records of one kind. */
export interface ImportedKind<Needs, Names, Before, Made> {
  readonly kind: FileImportKind;
  /** Such as `device`. */
  readonly called: 'device' | 'gateway';
  loadNames: (database: Database, organizationID: number) => Promise<Names>;
  /** The records of these keys, with what this database knows of them. */
  findExisting: (
    database: Database,
    organizationID: number,
    keys: readonly string[],
  ) => Promise<ReadonlyMap<string, Existing<Before>>>;
  /** The record as it is, with what its network server knows of it. */
  loadWhole: (needs: Needs, key: string) => Promise<Before>;
  read: (
    values: RowValues,
    of: { names: Names; organizationID: string; removed: ReadonlySet<string> },
    before: Before | undefined,
  ) => { record: Made | undefined; problems: RowProblem[] };
  /** Names are unique within a scope. */
  nameOf: (record: Made) => { scope: string; name: string };
  /** The keys of the records that have these names, by scope and name. */
  findNames: (
    database: Database,
    names: readonly { scope: string; name: string }[],
  ) => Promise<ReadonlyMap<string, string>>;
  callFor: (record: Made, isNew: boolean) => RowCall;
  create: (needs: Needs, record: Made) => Promise<void>;
  update: (needs: Needs, record: Made) => Promise<void>;
  /** Changes when somebody changes or hears the record; null when it does not exist. */
  stateOf: (database: Database, key: string) => Promise<object | null>;
  callToRemove: (key: string) => RowCall;
  remove: (needs: Needs, key: string, by: Principal) => Promise<void>;
}

export const nameKey = ({ scope, name }: { scope: string; name: string }): string => `${scope}/${name}`;
