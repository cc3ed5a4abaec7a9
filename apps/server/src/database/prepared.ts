import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely';
import { type ArgumentTypes, batchStatement } from './batch-statement.ts';
import type { Database } from './database.ts';
import type { ElementType } from './postgres-array.ts';
import type { Tables } from './tables.ts';

/** Options of a statement that PostgreSQL runs once for all callers of about the same time. */
interface BatchOptions<Arguments extends object> {
  isBatched: true;
  /** Callers with the same value change the same row: one after the other, or once by `sumOf`. */
  rowKey?: keyof Arguments & string;
  /** The argument that is added up for callers of the same row. */
  sumOf?: keyof Arguments & string;
  /** Types of arguments that may be null. No argument may have a type that only its column determines. */
  types?: { [Name in keyof Arguments & string]?: ElementType };
}

/**
 * A query compiled once and run many times, in whatever transaction is open at the time:
 *
 *     const byName = prepare<{ name: string }>()(database, (query, $) => query.selectFrom('x').where('name', '=', $.name));
 *     const rows = await byName.all({ name: 'a' });
 *
 * Building and compiling cost more than running for the small statements of an uplink.
 */
export function prepare<Arguments extends object>() {
  return <Row>(
    database: Database,
    build: (query: Kysely<Tables>, $: Arguments) => Compilable<Row>,
    options?: BatchOptions<Arguments>,
  ) => {
    type Result = QueryResult<Row>;
    const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as Arguments;
    const compiled = build(database.query, placeholders).compile();
    const names = compiled.parameters.map((value) => (value instanceof Placeholder ? value.name : undefined));
    const queryWith = (args: Arguments): CompiledQuery<Row> => {
      const parameters = names.map((name, index) =>
        name === undefined ? compiled.parameters[index] : (args as Record<string, unknown>)[name],
      );
      return { ...compiled, parameters };
    };
    const batched = options && batchedOn(database, build, { options, names, queryWith });
    /** Does not wait for a result that is available already. */
    const execute = async <Value>(args: Arguments, valueOf: (result: Result) => Value): Promise<Value> => {
      const inBatch = batched && database.batch<Row>(batched, args as Record<string, unknown>);
      const result = inBatch ?? database.execute(queryWith(args));
      return valueOf(result instanceof Promise ? await result : result);
    };
    return {
      all: (args: Arguments): Promise<Row[]> => execute(args, rowsOf<Row>),
      /** Inserts these rows, all or none, without waiting for other writes; undefined where they need a transaction. */
      insert: (rows: readonly Arguments[]): Promise<Row[]> | undefined =>
        batched && database.insertBatch<Row>(batched, rows as readonly Record<string, unknown>[]),
      /** Runs a change that a power failure may undo. */
      allUnflushed: async (args: Arguments): Promise<Row[]> => (await database.executeUnflushed(queryWith(args))).rows,
      first: (args: Arguments): Promise<Row | undefined> => execute(args, firstOf<Row>),
      /** Inserts one row and returns its `id`; on PostgreSQL the statement must return the row. */
      id: (args: Arguments): Promise<number> => execute(args, idOf<Row>),
      /** Answers the number of changed rows. */
      run: (args: Arguments): Promise<number> => execute(args, changedBy<Row>),
    };
  };
}

const rowsOf = <Row>({ rows }: QueryResult<Row>): Row[] => rows;
const firstOf = <Row>({ rows }: QueryResult<Row>): Row | undefined => rows[0];
/** SQLite reports it with every insert, and `returning` would cost as much as inserting. */
const idOf = <Row>({ insertId, rows }: QueryResult<Row>): number =>
  insertId === undefined ? (rows[0] as { id: number }).id : Number(insertId);
const changedBy = <Row>({ numAffectedRows }: QueryResult<Row>): number => Number(numAffectedRows ?? 0);

function batchedOn<Arguments extends object, Row>(
  database: Database,
  build: (query: Kysely<Tables>, $: Arguments) => Compilable<Row>,
  {
    options: { rowKey, sumOf, types },
    names,
    queryWith,
  }: {
    options: BatchOptions<Arguments>;
    names: readonly (string | undefined)[];
    queryWith: (args: Arguments) => CompiledQuery<Row>;
  },
) {
  if (database.kind !== 'postgres') return undefined;
  return batchStatement(database.query, build as never, {
    names: [...new Set(names.filter((name) => name !== undefined))],
    types: types as ArgumentTypes | undefined,
    forOne: queryWith as never,
    rowKey: rowKey && ((args) => args[rowKey]),
    sumOf,
  });
}

/**
 * A value that is created once for each database, such as a prepared query of a store: `perDatabase(make)(database)`.
 */
export function perDatabase<Value>(make: (database: Database) => Value): (database: Database) => Value {
  const values = new WeakMap<Database, Value>();
  return (database) => {
    let value = values.get(database);
    if (value === undefined) values.set(database, (value = make(database)));
    return value;
  };
}

class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}
