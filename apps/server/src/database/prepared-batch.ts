import type { DatabaseSync } from 'node:sqlite';
import type { CompiledQuery } from 'kysely';
import type { Execute } from './sqlite-statements.ts';
import type { PreparedResult, PreparedStatement } from './unit.ts';

type BatchConnection = { db: DatabaseSync; execute: Execute };

const queryOf = (sql: string, parameters: readonly unknown[] = []) =>
  ({ sql, parameters, query: { kind: 'RawNode' } }) as unknown as CompiledQuery;

const begin = queryOf('begin immediate');
const commit = queryOf('commit');

/**
 * Runs statements in one transaction. Undefined: a statement failed or changed another number of rows than expected,
 * and nothing was written.
 */
export function writePreparedBatch(
  { db, execute }: BatchConnection,
  statements: Iterable<PreparedStatement>,
): PreparedResult[] | undefined {
  try {
    execute(begin);
    const results: PreparedResult[] = [];
    for (const { query, mustChange } of statements) {
      const { rows, numAffectedRows, insertId } = execute<Record<string, unknown>>(
        queryOf(query.sql, query.parameters),
      );
      if (mustChange !== undefined && Number(numAffectedRows) !== mustChange) {
        db.exec('rollback');
        return undefined;
      }
      results.push(insertId === undefined ? rows : Number(insertId));
    }
    execute(commit);
    return results;
  } catch {
    // Some failures, such as a full disk, have rolled back already. The units are written one by one, which tells the
    // cause.
    if (db.isTransaction) db.exec('rollback');
    return undefined;
  }
}
