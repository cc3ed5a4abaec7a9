import {
  type Compilable,
  type CompiledQuery,
  ExpressionWrapper,
  type InsertQueryNode,
  type Kysely,
  type OperationNode,
  sql,
} from 'kysely';
import type { ElementType } from './postgres-array.ts';
import type { Tables } from './tables.ts';

/** A statement that can run once for many callers. */
export interface BatchStatement {
  /**
   * The statement for all callers. `turn` of its rows is the number of the caller, from 1; rows of an insert are in the
   * order of the callers.
   */
  forAll: (all: readonly BatchArguments[]) => CompiledQuery<Row>;
  forOne: (args: BatchArguments) => CompiledQuery<Row>;
  /** Callers with the same key change the same row, and must not be in one statement. */
  rowKey: ((args: BatchArguments) => unknown) | undefined;
  /** Callers with the same row key change the row once, by the sum of this argument, and share one result. */
  sumOf: string | undefined;
  isReading: boolean;
  isInsert: boolean;
}

export type BatchArguments = Readonly<Record<string, unknown>>;
/** Types of arguments that may be null for all callers at once. */
export type ArgumentTypes = Readonly<Record<string, ElementType>>;
type Row = Record<string, unknown> & { turn?: number };
type Expression = ReturnType<ReturnType<typeof sql>['as']>;
type BuiltStatement = Compilable<unknown> & { toOperationNode: () => OperationNode };
/** The common part of the builders of updates and deletes. */
type ChangeBuilder = BuiltStatement &
  Record<'from' | 'using', (source: unknown) => { returning: (column: unknown) => Compilable<Row> }>;

interface BatchStatementOptions extends Pick<BatchStatement, 'forOne' | 'rowKey' | 'sumOf'> {
  names: readonly string[];
  types?: ArgumentTypes | undefined;
}

/**
 * Converts a statement for a single caller to one for all callers on PostgreSQL: `build` runs once more, with columns
 * of a list of all callers' arguments in place of the arguments of one.
 */
export function batchStatement(
  query: Kysely<Tables>,
  build: (query: Kysely<Tables>, $: never) => BuiltStatement,
  { names, types: knownTypes = {}, forOne, rowKey, sumOf }: BatchStatementOptions,
): BatchStatement {
  const columns = new Proxy({}, { get: (_, name) => sql.ref(`given.${columnOf(String(name))}`) });
  const built = build(query, columns as never);
  const node = built.toOperationNode();
  const compiledByTypes = new Map<string, CompiledQuery<Row>>();

  function compile(types: readonly string[]): CompiledQuery<Row> {
    const lists = names.map((name, index) => sql`${new ListPlaceholder(name)}::${sql.raw(types[index]!)}[]`);
    const given = sql`unnest(${sql.join(lists)}) with ordinality`.as(
      sql`given(${sql.join([...names.map((name) => sql.ref(columnOf(name))), sql.ref('turn')])})`,
    );
    const turn = sql.ref('given.turn').as('turn');
    if (node.kind === 'UpdateQueryNode') return (built as ChangeBuilder).from(given).returning(turn).compile();
    if (node.kind === 'DeleteQueryNode') return (built as ChangeBuilder).using(given).returning(turn).compile();
    if (node.kind === 'InsertQueryNode') return insertion(node as InsertQueryNode, given).compile(query);
    return sql<Row>`select given.turn, found.* from ${given} cross join lateral (${built as never}) as found`.compile(
      query,
    );
  }

  return {
    forOne,
    rowKey,
    sumOf,
    isReading: node.kind === 'SelectQueryNode',
    isInsert: node.kind === 'InsertQueryNode',
    forAll: (all) => {
      const lists = names.map((name) => all.map((args) => args[name]));
      const types = lists.map((values, index) => knownTypes[names[index]!] ?? typeOf(values));
      const arrayOf = (index: number) => new ArrayParameter(types[index]!, lists[index]!);
      const signature = types.join();
      let compiled = compiledByTypes.get(signature);
      if (!compiled) compiledByTypes.set(signature, (compiled = compile(types)));
      const parameters = compiled.parameters.map((value) =>
        value instanceof ListPlaceholder ? arrayOf(names.indexOf(value.name)) : value,
      );
      return { ...compiled, parameters };
    },
  };
}

function insertion(node: InsertQueryNode, given: Expression) {
  const { into, columns = [], values, returning } = node;
  const [row] = (values as unknown as { values: { values: OperationNode[] }[] }).values;
  const wrapped = (nodes: readonly OperationNode[]) => sql.join(nodes.map((part) => new ExpressionWrapper(part)));
  const returningClause = returning ? sql` returning ${wrapped(returning.selections)}` : sql``;
  return sql<Row>`insert into ${wrapped([into!])} (${wrapped(columns)}) select ${wrapped(row!.values)}
    from ${given} order by given.turn${returningClause}`;
}

/** A name that no column of a table has. */
const columnOf = (name: string) => `given_${name}`;

class ListPlaceholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** An array parameter of SQL; any other array is JSON. */
export class ArrayParameter {
  readonly type: ElementType;
  readonly values: readonly unknown[];
  constructor(type: ElementType, values: readonly unknown[]) {
    this.type = type;
    this.values = values;
  }
}

function typeOf(values: readonly unknown[]): ElementType {
  const nonNull = values.filter((value) => value !== null);
  const [first] = nonNull;
  if (typeof first === 'number') return nonNull.every(Number.isSafeInteger) ? 'int8' : 'float8';
  if (typeof first === 'boolean') return 'bool';
  if (first instanceof Date) return 'timestamptz';
  return ArrayBuffer.isView(first) ? 'bytea' : 'text';
}
