import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../database/database.ts';
import { compiled, positioned } from '../database/statement-text.ts';

/**
 * Declares a statement in SQL that most pages run, with parameters `$name`. Building it with Kysely for each page takes
 * longer than running it.
 */
export function readingStatement<Given extends object, Row>(text: string) {
  const preparedFor = (kind: DatabaseKind) => {
    const { sql, names } = positioned(text, kind);
    return { statement: compiled<Row>(sql), names: names as (keyof Given)[] };
  };
  const prepared = { sqlite: preparedFor('sqlite'), postgres: preparedFor('postgres') };
  return async <Tables>(query: Kysely<Tables>, kind: DatabaseKind, given: Given): Promise<Row[]> => {
    const { statement, names } = prepared[kind];
    const parameters = names.map((name) => given[name]);
    return (await query.executeQuery<Row>({ ...statement, parameters })).rows;
  };
}
