import { notFound } from '@hilltop/contract';
import type { Insertable, Selectable, Updateable } from 'kysely';
import { auditSubjectRow } from '../audit/transactions.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

/** Tables whose rows have an `id`. */
type Recorded = { [Name in keyof Tables]: 'id' extends keyof Tables[Name] ? Name : never }[keyof Tables];
type IDOf<Name extends Recorded> = Selectable<Tables[Name]> extends { id: infer ID } ? ID : never;

export interface Records<Name extends Recorded> {
  /** Throws `notFound` when there is none. */
  load: (database: Database, id: string) => Promise<Selectable<Tables[Name]>>;
  /** Resolves with the id of the new row. */
  insert: (database: Database, row: Insertable<Tables[Name]>) => Promise<IDOf<Name>>;
  update: (database: Database, id: IDOf<Name>, changes: Updateable<Tables[Name]>) => Promise<void>;
  remove: (database: Database, id: IDOf<Name>) => Promise<void>;
}

/**
 * The single rows of a resource: `called` is its name in sentences, `toID` converts an id of the API to the key of a
 * row.
 */
export function recordsOf<Name extends Recorded>(
  table: Name,
  called: string,
  toID: (id: string) => string | number = String,
): Records<Name> {
  // One table name represents all: kysely cannot express "some table with an id".
  const name = table as 'application';
  const records: Records<'application'> = {
    load: async ({ query }, id) => {
      const key = toID(id) as number;
      const row = await query.selectFrom(name).selectAll().where('id', '=', key).executeTakeFirst();
      if (!row) throw notFound(called, id);
      return row;
    },
    insert: async ({ query }, row) => {
      const { id } = await query.insertInto(name).values(row).returning('id').executeTakeFirstOrThrow();
      auditSubjectRow(table, id);
      return id;
    },
    update: async ({ query }, id, changes) => {
      await query.updateTable(name).set(changes).where('id', '=', id).execute();
    },
    remove: async ({ query }, id) => {
      await query.deleteFrom(name).where('id', '=', id).execute();
    },
  };
  return records as unknown as Records<Name>;
}
