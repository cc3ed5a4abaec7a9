import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely';
import type { Database } from './database.ts';
import { joinStatement, type Types } from './joined.ts';
import type { ElementType } from './postgres-array.ts';
import type { Tables } from './tables.ts';

/**
 * A query compiled once and run many times, in whatever transaction is open at the time:
 *
 *     const byName = prepare<{ name: string }>()(database, (query, $) => query.selectFrom('x').where('name', '=', $.name));
 *     const rows = await byName({ name: 'a' });
 *
 * Building and compiling cost more than running for the small statements of an uplink. One that is `joined` runs for all
 * who ask for it at about the same time, where that pays: its arguments are then never of a type that only the column
 * tells, those that may be null say theirs, and those with the same `apart` change the same row: one after the other, or
 * once by the `sum` of an argument.
 */
export function prepare<Arguments extends object>() {
  return <Row>(
    database: Database,
    build: (query: Kysely<Tables>, $: Arguments) => Compilable<Row>,
    manner?: {
      joined: true;
      apart?: keyof Arguments & string;
      sum?: keyof Arguments & string;
      types?: { [Name in keyof Arguments & string]?: ElementType };
    },
  ) => {
    const holes = new Proxy({}, { get: (_, name) => new Hole(String(name)) }) as Arguments;
    const compiled = build(database.query, holes).compile();
    const names = compiled.parameters.map((value) => (value instanceof Hole ? value.name : undefined));
    const queryWith = (args: Arguments): CompiledQuery<Row> => {
      const parameters = names.map((name, at) =>
        name === undefined ? compiled.parameters[at] : (args as Record<string, unknown>)[name],
      );
      return { ...compiled, parameters };
    };
    type Result = QueryResult<Row>;
    const { apart, sum, types } = manner ?? {};
    const together =
      manner?.joined && database.kind === 'postgres'
        ? joinStatement(database.query, build as never, {
            names: [...new Set(names.filter((name) => name !== undefined))],
            types: types as Types | undefined,
            alone: queryWith as never,
            apart: apart && ((args) => args[apart]),
            sum,
          })
        : undefined;
    /** Nobody waits for an answer that is there. */
    const execute = async <Wanted>(args: Arguments, wanted: (result: Result) => Wanted): Promise<Wanted> => {
      const many = together && database.together<Row>(together, args as Record<string, unknown>);
      const result = many ?? database.execute(queryWith(args));
      return wanted(result instanceof Promise ? await result : result);
    };
    const rowsOf = ({ rows }: Result) => rows;
    const firstOf = ({ rows }: Result): Row | undefined => rows[0];
    /** SQLite says it by itself, and asking for it costs as much as inserting. */
    const idOf = ({ insertId, rows }: Result) =>
      insertId === undefined ? (rows[0] as { id: number }).id : Number(insertId);
    const changedBy = ({ numAffectedRows }: Result) => Number(numAffectedRows ?? 0);
    return {
      all: (args: Arguments): Promise<Row[]> => execute(args, rowsOf),
      /**
       * Of an insert: these rows, all or none, without waiting for what others write; undefined where they need a
       * transaction.
       */
      insert: (rows: readonly Arguments[]): Promise<Row[]> | undefined =>
        together && database.insertTogether<Row>(together, rows as readonly Record<string, unknown>[]),
      /** Of a change that a power cut may undo. */
      allUnflushed: async (args: Arguments): Promise<Row[]> => (await database.executeUnflushed(queryWith(args))).rows,
      first: (args: Arguments): Promise<Row | undefined> => execute(args, firstOf),
      /** Of an insert of one row, which on PostgreSQL returns it: its `id`. */
      id: (args: Arguments): Promise<number> => execute(args, idOf),
      /** Rows changed. */
      run: (args: Arguments): Promise<number> => execute(args, changedBy),
    };
  };
}

/** What is made once for each database, such as a prepared query of a store: `perDatabase(make)(database)`. */
export function perDatabase<Made>(make: (database: Database) => Made): (database: Database) => Made {
  const made = new WeakMap<Database, Made>();
  return (database) => {
    let one = made.get(database);
    if (one === undefined) made.set(database, (one = make(database)));
    return one;
  };
}

class Hole {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}
