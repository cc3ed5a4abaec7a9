import type { CompiledQuery } from 'kysely';
import type { ElementType } from './postgres-array.ts';
import { elementTypeOf, type ParameterTypes } from './statement-parameters.ts';
import { compiled, type Form, positioned, verbOf } from './statement-text.ts';

/** A statement that can run once for many callers. */
export interface BatchStatement {
  /**
   * The statement for all callers. `caller` of its rows is the number of the caller, from 1; rows of an insert are in the
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
type Row = Record<string, unknown> & { caller?: number };

interface BatchStatementOptions extends Pick<BatchStatement, 'forOne'> {
  /** Parameters of which each caller has a value of its own. */
  given: ParameterTypes;
  /** Values of the other parameters. */
  fixed: BatchArguments;
  rowKey: string | undefined;
  sumOf: string | undefined;
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

const listPrefix = 'list_';
/** A name that no column of a table has. */
const columnOf = (name: string) => `given_${name}`;

/**
 * The SQL of a statement of PostgreSQL for all callers: the parameters of one caller become columns of a table of the
 * arguments of all, `given`.
 */
export function batchText(textFor: (form: Form) => string, given: ParameterTypes): { sql: string; names: string[] } {
  const names = Object.keys(given);
  const lists = names.map((name) => `$${listPrefix}${name}::${elementTypeOf(given[name]!)}[]`).join(', ');
  const columns = [...names.map(columnOf), 'caller'].join(', ');
  const callers = `unnest(${lists}) with ordinality as given(${columns})`;
  const text = textFor({
    kind: 'postgres',
    values: (values) => `select ${values} from ${callers} order by given.caller`,
    from: `from ${callers}`,
    using: `using ${callers}`,
  });
  return positioned(withCaller(text, callers), 'postgres', (name) => name in given && `given.${columnOf(name)}`);
}

function withCaller(text: string, callers: string): string {
  switch (verbOf(text)) {
    case 'select':
      // `offset 0`: a look-up for each caller. Before the first statistics after an import, a join would read whole tables.
      return `select given.caller, found.* from ${callers} cross join lateral (${text} offset 0) as found`;
    case 'insert':
      return text;
    default:
      return `${text}${/\breturning\b/.test(text) ? ',' : ' returning'} given.caller`;
  }
}

/** Makes the statement for all callers out of the one for a single caller. */
export function batchStatement(
  textFor: (form: Form) => string,
  { given, fixed, forOne, rowKey, sumOf }: BatchStatementOptions,
): BatchStatement {
  const { sql, names } = batchText(textFor, given);
  const statement = compiled<Row>(sql);
  const lists = names.map((name) => name.startsWith(listPrefix) && name.slice(listPrefix.length));
  const parametersOf = (all: readonly BatchArguments[]) =>
    lists.map((list, index) => {
      if (list === false) return fixed[names[index]!];
      return new ArrayParameter(
        elementTypeOf(given[list]!),
        all.map((args) => args[list]),
      );
    });
  return {
    forAll: (all) => ({ ...statement, parameters: parametersOf(all) }),
    forOne,
    rowKey: rowKey === undefined ? undefined : (args) => args[rowKey],
    sumOf,
    isReading: verbOf(sql) === 'select',
    isInsert: verbOf(sql) === 'insert',
  };
}
