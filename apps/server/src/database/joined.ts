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

/** A statement that can be run for many callers at once. */
export interface Joined {
  /** The statement for all of them: its rows say in `turn`, from 1, whose they are; those of an insert are in their order. */
  of: (all: readonly Arguments[]) => CompiledQuery<Row>;
  /** The statement for one of them. */
  alone: (args: Arguments) => CompiledQuery<Row>;
  /** Callers with the same one of these change the same row, and must not be in one statement. */
  apart: ((args: Arguments) => unknown) | undefined;
  /** Callers with the same `apart` change the row once, by the sum of this argument, and have one answer. */
  sum: string | undefined;
  isReading: boolean;
  isInsert: boolean;
}

export type Arguments = Readonly<Record<string, unknown>>;
/** Of arguments that may be null for all callers at once. */
export type Types = Readonly<Record<string, ElementType>>;
type Row = Record<string, unknown> & { turn?: number };
type Expression = ReturnType<ReturnType<typeof sql>['as']>;
type Built = Compilable<unknown> & { toOperationNode: () => OperationNode };
/** What updates and deletes have in common for this. */
type Change = Built & Record<'from' | 'using', (given: unknown) => { returning: (turn: unknown) => Compilable<Row> }>;

/**
 * Makes one statement of PostgreSQL out of one that is for a single caller: it is built once more, with columns of a list
 * of all callers' arguments where those of one stood.
 */
export function joinStatement(
  query: Kysely<Tables>,
  build: (query: Kysely<Tables>, $: never) => Built,
  {
    names,
    types: known = {},
    alone,
    apart,
    sum,
  }: { names: readonly string[]; types?: Types | undefined } & Pick<Joined, 'alone' | 'apart' | 'sum'>,
): Joined {
  const columns = new Proxy({}, { get: (_, name) => sql.ref(`given.${columnOf(String(name))}`) });
  const one = build(query, columns as never);
  const node = one.toOperationNode();
  const kept = new Map<string, CompiledQuery<Row>>();

  function compile(types: readonly string[]): CompiledQuery<Row> {
    const lists = names.map((name, at) => sql`${new List(name)}::${sql.raw(types[at]!)}[]`);
    const given = sql`unnest(${sql.join(lists)}) with ordinality`.as(
      sql`given(${sql.join([...names.map((name) => sql.ref(columnOf(name))), sql.ref('turn')])})`,
    );
    const turn = sql.ref('given.turn').as('turn');
    if (node.kind === 'UpdateQueryNode') return (one as Change).from(given).returning(turn).compile();
    if (node.kind === 'DeleteQueryNode') return (one as Change).using(given).returning(turn).compile();
    if (node.kind === 'InsertQueryNode') return insertion(node as InsertQueryNode, given).compile(query);
    return sql<Row>`select given.turn, found.* from ${given} cross join lateral (${one as never}) as found`.compile(
      query,
    );
  }

  return {
    alone,
    apart,
    sum,
    isReading: node.kind === 'SelectQueryNode',
    isInsert: node.kind === 'InsertQueryNode',
    of: (all) => {
      const lists = names.map((name) => all.map((args) => args[name]));
      const types = lists.map((values, at) => known[names[at]!] ?? typeOf(values));
      const arrayOf = (place: number) => new ArrayParameter(types[place]!, lists[place]!);
      const signature = types.join();
      let compiled = kept.get(signature);
      if (!compiled) kept.set(signature, (compiled = compile(types)));
      const parameters = compiled.parameters.map((value) =>
        value instanceof List ? arrayOf(names.indexOf(value.name)) : value,
      );
      return { ...compiled, parameters };
    },
  };
}

function insertion(node: InsertQueryNode, given: Expression) {
  const { into, columns = [], values, returning } = node;
  const [row] = (values as unknown as { values: { values: OperationNode[] }[] }).values;
  const wrapped = (nodes: readonly OperationNode[]) => sql.join(nodes.map((one) => new ExpressionWrapper(one)));
  const told = returning ? sql` returning ${wrapped(returning.selections)}` : sql``;
  return sql<Row>`insert into ${wrapped([into!])} (${wrapped(columns)}) select ${wrapped(row!.values)}
    from ${given} order by given.turn${told}`;
}

/** No column of a table is called so. */
const columnOf = (name: string) => `given_${name}`;

class List {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A parameter that is an array of SQL; any other array is JSON. */
export class ArrayParameter {
  readonly type: ElementType;
  readonly values: readonly unknown[];
  constructor(type: ElementType, values: readonly unknown[]) {
    this.type = type;
    this.values = values;
  }
}

function typeOf(values: readonly unknown[]): ElementType {
  const given = values.filter((value) => value !== null);
  const [first] = given;
  if (typeof first === 'number') return given.every(Number.isSafeInteger) ? 'int8' : 'float8';
  if (typeof first === 'boolean') return 'bool';
  if (first instanceof Date) return 'timestamptz';
  return ArrayBuffer.isView(first) ? 'bytea' : 'text';
}
