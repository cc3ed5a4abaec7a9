import type { CompiledQuery, QueryResult } from 'kysely';
import { batchStatement, batchText } from './batch-statement.ts';
import type { Database, DatabaseKind } from './database.ts';
import { perDatabase } from './per-database.ts';
import type { ArgumentsOf, ParameterTypes } from './statement-parameters.ts';
import { compiled, type Form, formForOne, positioned } from './statement-text.ts';

/** A statement in SQL. A parameter is written `$name`. */
interface StatementDeclaration<Given extends ParameterTypes, Fixed extends ParameterTypes> {
  /** A function where the databases differ, or where the statement is batched. */
  sql: string | ((form: Form) => string);
  /** Parameters of each run, with their types. */
  given?: Given;
  /** Parameters that stay the same in all runs: they are given with the database. */
  fixed?: Fixed;
  /** The only database that runs it. */
  only?: DatabaseKind;
  /** On PostgreSQL it runs once for all callers of about the same time. */
  batch?: BatchOptions<keyof Given & string>;
}

interface BatchOptions<Name extends string> {
  /** Callers with the same value change the same row: one after the other, or once by `sumOf`. */
  rowKey?: Name;
  /** The parameter that is added up for callers of the same row. */
  sumOf?: Name;
}

/** A statement of one database. */
export interface Statement<Given, Row> {
  all: (args: Given) => Promise<Row[]>;
  first: (args: Given) => Promise<Row | undefined>;
  /** Answers the number of changed rows. */
  run: (args: Given) => Promise<number>;
  /** Inserts one row and returns its `id`; on PostgreSQL the statement must return the row. */
  id: (args: Given) => Promise<number>;
  /** Of a batched insert: these rows, all or none, without waiting for what others write; undefined where they need a transaction. */
  insert: (rows: readonly Given[]) => Promise<Row[]> | undefined;
  /** The statement with these parameters, for a prepared unit. */
  query: (args: Given) => CompiledQuery<Row>;
  /** Runs a change that a power failure may undo. */
  allUnflushed: (args: Given) => Promise<Row[]>;
}

type NoParameters = Record<never, never>;

type StatementOf<Given, Row, Fixed> = (
  database: Database,
  ...fixed: keyof Fixed extends never ? [] : [fixed: Fixed]
) => Statement<Given, Row>;

/** The statements of all files that are loaded. */
export const declaredStatements: StatementDeclaration<ParameterTypes, ParameterTypes>[] = [];

/**
 * Declares a statement that runs thousands of times a second, in whatever transaction is open at the time. `Row` is what
 * it returns:
 *
 *     const byName = statement<{ id: number }>()({
 *       sql: 'select id from organization where name = $name',
 *       given: { name: 'text' },
 *     });
 *     const rows = await byName(database).all({ name: 'a' });
 *
 * Building such a statement with Kysely for each run would take longer than running it.
 */
export function statement<Row = never>() {
  return <const Given extends ParameterTypes = NoParameters, const Fixed extends ParameterTypes = NoParameters>(
    declaration: StatementDeclaration<Given, Fixed>,
  ): StatementOf<ArgumentsOf<Given>, Row, ArgumentsOf<Fixed>> => {
    declaredStatements.push(declaration as unknown as StatementDeclaration<ParameterTypes, ParameterTypes>);
    type Bound = Statement<ArgumentsOf<Given>, Row>;
    const bind = (database: Database, fixed = {}): Bound => bound(database, declaration as never, fixed);
    const bindOnce = perDatabase((database) => bind(database));
    return (database, ...[fixed]) => (fixed ? bind(database, fixed) : bindOnce(database));
  };
}

type Arguments = Readonly<Record<string, unknown>>;
type AnyDeclaration = StatementDeclaration<ParameterTypes, ParameterTypes>;

const textFor = ({ sql }: AnyDeclaration, form: Form): string => (typeof sql === 'string' ? sql : sql(form));

function bound<Row>(database: Database, declaration: AnyDeclaration, fixed: Arguments): Statement<Arguments, Row> {
  const forOne = statementForOne<Row>(database.kind, declaration, fixed);
  const batched = database.kind === 'postgres' ? statementForAll(declaration, fixed, forOne) : undefined;
  /** Does not wait for a result that is available already. */
  const execute = async <Value>(args: Arguments, valueOf: (result: QueryResult<Row>) => Value): Promise<Value> => {
    const result = (batched && database.batch<Row>(batched, args)) ?? database.execute(forOne(args));
    return valueOf(result instanceof Promise ? await result : result);
  };
  return {
    all: (args) => execute(args, rowsOf<Row>),
    first: (args) => execute(args, firstOf<Row>),
    run: (args) => execute(args, changedBy<Row>),
    id: (args) => execute(args, idOf<Row>),
    query: forOne,
    insert: (rows) => batched && database.insertBatch<Row>(batched, rows),
    allUnflushed: async (args) => (await database.executeUnflushed(forOne(args))).rows,
  };
}

function statementForOne<Row>(kind: DatabaseKind, declaration: AnyDeclaration, fixed: Arguments) {
  const { given = {} } = declaration;
  const { sql, names } = positioned(textFor(declaration, formForOne(kind)), kind);
  const unknown = names.find((name) => !(name in given) && !(name in fixed));
  if (unknown !== undefined) throw new Error(`The parameter $${unknown} of this statement is not declared: ${sql}`);
  const statement = compiled<Row>(sql);
  const constants = names.map((name) => fixed[name]);
  const isFixed = names.map((name) => name in fixed);
  return (args: Arguments): CompiledQuery<Row> => ({
    ...statement,
    parameters: names.map((name, index) => (isFixed[index] ? constants[index] : args[name])),
  });
}

const statementForAll = (
  declaration: AnyDeclaration,
  fixed: Arguments,
  forOne: (args: Arguments) => CompiledQuery<unknown>,
) =>
  declaration.batch &&
  batchStatement((form) => textFor(declaration, form), {
    given: declaration.given ?? {},
    fixed,
    forOne: forOne as never,
    rowKey: declaration.batch.rowKey,
    sumOf: declaration.batch.sumOf,
  });

const rowsOf = <Row>({ rows }: QueryResult<Row>): Row[] => rows;
const firstOf = <Row>({ rows }: QueryResult<Row>): Row | undefined => rows[0];
/** SQLite reports it with every insert, and `returning` would cost as much as inserting. */
const idOf = <Row>({ insertId, rows }: QueryResult<Row>): number =>
  insertId === undefined ? (rows[0] as { id: number }).id : Number(insertId);
const changedBy = <Row>({ numAffectedRows }: QueryResult<Row>): number => Number(numAffectedRows ?? 0);

/** The SQL of a statement on one database, for one caller and for all; none where it is only for the other database. */
export function textsOf(declaration: AnyDeclaration, kind: DatabaseKind): string[] {
  if (declaration.only !== undefined && declaration.only !== kind) return [];
  const one = textFor(declaration, formForOne(kind));
  if (kind === 'sqlite' || !declaration.batch) return [positioned(one, kind).sql];
  return [positioned(one, kind).sql, batchText((form) => textFor(declaration, form), declaration.given ?? {}).sql];
}
