import type { CompiledQuery } from 'kysely';
import type { Database } from '../../database/database.ts';
import { type TargetName, type TargetTable, targetTables } from './target-rows.ts';

/** The most insert statements that are cached. */
const mostInserts = 200;

/** The statements of a target writer. Each text is built once, so that the database prepares it once. */
export class TargetStatements {
  readonly #database: Pick<Database, 'query' | 'kind'>;
  readonly #inserts = new Map<string, string>();
  readonly #selects = new Map<string, CompiledQuery>();

  constructor(database: Pick<Database, 'query' | 'kind'>) {
    this.#database = database;
  }

  /**
   * Selects `columns` of the rows whose key columns have one of the given values. Parameters follow in the same order.
   */
  select(
    table: TargetName,
    columns: readonly string[],
    valuesByColumn: ReadonlyMap<string, readonly unknown[]>,
  ): CompiledQuery {
    const lists = [...valuesByColumn].map(([column, { length }]) => `${column} ${length}`);
    const name = `${table} ${columns.join(' ')} by ${lists.join(' ')}`;
    const known = this.#selects.get(name);
    if (known) return known;
    let query = this.#database.query.selectFrom(table as 'device').select(columns as 'dev_eui'[]);
    for (const [column, values] of valuesByColumn) query = query.where(column as 'dev_eui', 'in', values as string[]);
    const compiled = query.compile();
    this.#selects.set(name, compiled);
    return compiled;
  }

  /** Inserts `rowCount` rows, or updates the stored ones with the same key. */
  insert(table: TargetName, columns: readonly string[], rowCount: number): string {
    const name = `${table} ${rowCount} ${columns.join(' ')}`;
    const known = this.#inserts.get(name);
    if (known) return known;
    const { key, once = [], stays }: TargetTable = targetTables[table];
    const placeholder = this.#database.kind === 'sqlite' ? () => '?' : (index: number) => `$${index + 1}`;
    const tuples = Array.from(
      { length: rowCount },
      (_, row) => `(${columns.map((_column, index) => placeholder(row * columns.length + index)).join(', ')})`,
    );
    const updated = columns.filter((column) => !key.includes(column) && !once.includes(column));
    const update = updated.map((column) => `"${column}" = excluded."${column}"`).join(', ');
    const conflict = stays || update === '' ? 'do nothing' : `do update set ${update}`;
    const quoted = (names: readonly string[]) => names.map((one) => `"${one}"`).join(', ');
    const text = `insert into "${table}" (${quoted(columns)}) values ${tuples.join(', ')} on conflict (${quoted(key)}) ${conflict}`;
    if (this.#inserts.size > mostInserts) this.#inserts.clear();
    this.#inserts.set(name, text);
    return text;
  }
}
