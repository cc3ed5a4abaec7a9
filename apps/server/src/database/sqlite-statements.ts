import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { Violation } from './violation.ts';

type Row = Record<string, unknown>;
export type Execute = <R>(query: CompiledQuery) => QueryResult<R>;

const maxPreparedStatements = 500;

/** Caches prepared statements, because preparing costs more than running most of them. */
export function preparedStatements(db: DatabaseSync): Execute {
  const statements = new Map<string, (parameters: readonly unknown[]) => QueryResult<unknown>>();
  return <R>({ sql, parameters, query }: CompiledQuery) => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = runnerOf(db.prepare(sql));
      if (statements.size >= maxPreparedStatements) statements.clear();
      statements.set(sql, statement);
    }
    try {
      return statement(parameters) as QueryResult<R>;
    } catch (error) {
      throw translated(error, query.kind);
    }
  };
}

function runnerOf(statement: StatementSync): (parameters: readonly unknown[]) => QueryResult<unknown> {
  const columns = statement.columns();
  if (columns.length === 0)
    return (parameters) => {
      const { changes, lastInsertRowid } = statement.run(...parameters.map(bind));
      return { numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid), rows: [] };
    };
  // Objects of the binding are slow to read, because it creates them as dictionaries.
  statement.setReturnArrays(true);
  const members = columns.map(({ name, type }) => ({ name, decode: decoders[type?.toLowerCase() ?? ''] }));
  const rowOf = (values: readonly unknown[]): Row => {
    const row: Row = {};
    for (let index = 0; index < members.length; index += 1) {
      const { name, decode } = members[index]!;
      const value = values[index];
      row[name] = decode && value !== null ? decode(value as never) : value;
    }
    return row;
  };
  return (parameters) => {
    const rows = (statement.all(...parameters.map(bind)) as unknown as unknown[][]).map(rowOf);
    return { rows, numAffectedRows: BigInt(rows.length) };
  };
}

/** Converts values to the types that PostgreSQL returns, by the declared type of the column; an expression has none. */
const decoders: Record<string, (value: never) => unknown> = {
  boolean: (value: number) => value !== 0,
  jsonb: (value: string) => JSON.parse(value) as unknown,
  timestamptz: (value: string) => new Date(value),
};

export function bind(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  if (value !== null && typeof value === 'object' && !ArrayBuffer.isView(value)) return JSON.stringify(value);
  return value as SQLInputValue;
}

/** Extended result codes: https://sqlite.org/rescode.html */
const constraintForeignKey = 787;
const constraintPrimaryKey = 1555;
const constraintUnique = 2067;

/** Reads "UNIQUE constraint failed: application.organization_id, application.name". */
const columnsIn = (message: string): string[] =>
  Array.from(message.matchAll(/\w+\.(\w+)/g), ([, column = '']) => column);

function translated(error: unknown, statementKind: string): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  if (error.errcode === constraintUnique || error.errcode === constraintPrimaryKey)
    return new Violation('unique', error.message, error, columnsIn(error.message));
  if (error.errcode === constraintForeignKey)
    return new Violation(statementKind === 'DeleteQueryNode' ? 'inUse' : 'missing', error.message, error);
  return error;
}
