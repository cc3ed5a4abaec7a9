import { CompiledQuery, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Secrets } from '../../secrets.ts';
import type { SourceRow } from '../source/postgres.ts';
import { columnsOf, contentDigestOf, differingColumns, nameDigestOf } from './row-comparison.ts';
import type { RowDigests } from './row-digests.ts';
import { keyOf, type TargetName, type TargetRow, type TargetTable, targetTables } from './target-rows.ts';
import { TargetStatements } from './target-statements.ts';

/** `kept`: the stored row has changed since it was imported, and is not overwritten. */
export type WriteOutcome = 'new' | 'changed' | 'same' | 'kept';

interface ComparedRow {
  target: TargetRow;
  outcome: WriteOutcome;
  differing: string[];
}

type ReportOutcome = (row: TargetRow, outcome: WriteOutcome) => void;
type ReportProblem = (row: TargetRow, problem: string) => void;

/** The keys of rows that must stay. */
export interface KeySet {
  size: number;
  has: (key: string) => boolean;
}

/** The most rows in one statement: SQLite takes 32,766 values, PostgreSQL 65,535. */
const portionSize = 400;
/**
 * Lengths of the lists in select statements. Shorter lists repeat their first value: otherwise each length would prepare a
 * statement of its own.
 */
const listLengths = [1, 20, portionSize];
/**
 * When few owners have more rows than this factor, such as one device with all DevNonces it ever used, a select also
 * names the other key columns. Otherwise each portion would read all rows of the owners.
 */
const fewOwnersFactor = 8;

const mustBeWritten = ({ outcome }: ComparedRow) => outcome === 'new' || outcome === 'changed';

/**
 * Writes target rows where the stored rows differ. A first pass finds no rows and writes all, a later one writes the
 * changes of the source. After each batch the writer reads the written rows again and reports those that differ.
 *
 * The passes of one process share `seenRows`: digests of the rows that a pass has seen stored. The next pass does not
 * read unchanged ones again, because no other process writes to the database meanwhile.
 */
export class TargetWriter {
  readonly #database: Database;
  readonly #secrets: Secrets;
  readonly #seenRows: RowDigests | undefined;
  readonly #statements: TargetStatements;
  /** The sealed bytes of the rows of the current batch. */
  readonly #sealedBytes = new Map<TargetRow, Readonly<Record<string, Uint8Array>>>();
  /** Whether a table was empty when this pass reached it. */
  readonly #wasEmpty = new Map<TargetName, boolean>();

  constructor({ database, secrets }: { database: Database; secrets: Secrets }, seenRows?: RowDigests) {
    this.#database = database;
    this.#secrets = secrets;
    this.#seenRows = seenRows;
    this.#statements = new TargetStatements(database);
  }

  /**
   * Writes a batch in one transaction and reports the outcome of each row. Then reads the written rows and reports each
   * one that differs, with its columns. Skips rows that an earlier pass has seen stored and that have not changed
   * since.
   */
  async store(batch: readonly TargetRow[], reportOutcome: ReportOutcome, reportProblem: ReportProblem): Promise<void> {
    const [seen, others] = this.#seenRows ? partition(batch, (row) => this.#isSeen(row)) : [[], batch];
    for (const row of seen) reportOutcome(row, 'same');
    if (others.length === 0) return;
    const compared: ComparedRow[] = [];
    await this.#database.transaction(async () => {
      compared.length = 0;
      for (const [table, rows] of portionsOf(others)) compared.push(...(await this.#storePortion(table, rows)));
    });
    for (const { target, outcome } of compared) reportOutcome(target, outcome);
    await this.#verify(compared, reportProblem);
    this.#sealedBytes.clear();
  }

  /**
   * Removes the rows of a table whose keys are not in `keys`, after `store` has written all of those. Resolves with the
   * number of removed rows and the number of keys that have no row.
   */
  async removeOthers(table: TargetName, keys: KeySet): Promise<{ removed: number; missing: number }> {
    const facts: TargetTable = targetTables[table];
    const all = this.#database.query.selectFrom(table as 'device');
    const { count } = await all.select((of) => of.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
    // Each key was seen stored: with as many rows there are no others.
    if (Number(count) === keys.size) return { removed: 0, missing: 0 };
    const columns = facts.hasChangedSince ? [...facts.key, 'revision'] : facts.key;
    const rows = (await all.select(columns as 'dev_eui'[]).execute()) as unknown as SourceRow[];
    const surplus = rows.filter((row) => !keys.has(keyOf(table, row)) && !facts.hasChangedSince?.(row));
    const stored = rows.reduce((sum, row) => sum + Number(keys.has(keyOf(table, row))), 0);
    const missing = keys.size - stored;
    if (surplus.length === 0) return { removed: 0, missing };
    await this.#database.transaction(async () => {
      for (const row of surplus) {
        const hasKey = facts.key.map((column) => sql`${sql.ref(column)} = ${row[column]}`);
        await sql`delete from ${sql.table(table)} where ${sql.join(hasKey, sql` and `)}`.execute(this.#database.query);
      }
    });
    return { removed: surplus.length, missing };
  }

  #isSeen(row: TargetRow): boolean {
    const content = this.#seenRows?.get(nameDigestOf(row));
    return content !== undefined && content === contentDigestOf(row);
  }

  #markSeen(row: TargetRow): void {
    this.#seenRows?.set(nameDigestOf(row), contentDigestOf(row));
  }

  async #storePortion(table: TargetName, rows: readonly TargetRow[]): Promise<ComparedRow[]> {
    const isFirst = await this.#isEmptyAtStart(table);
    const compared = isFirst
      ? rows.map((target): ComparedRow => ({ target, outcome: 'new', differing: [] }))
      : await this.#compare(table, rows);
    const written = await this.#write(
      table,
      compared.filter(mustBeWritten).map(({ target }) => target),
    );
    // The source may have rows twice: the first one is written. Which rows count as `same` makes no difference.
    if (isFirst) for (const duplicate of compared.slice(written)) duplicate.outcome = 'same';
    return compared;
  }

  /** No other process writes to the database: an empty table has only the rows that this pass has written. */
  async #isEmptyAtStart(table: TargetName): Promise<boolean> {
    const known = this.#wasEmpty.get(table);
    if (known !== undefined) return known;
    const { key } = targetTables[table];
    const query = this.#database.query.selectFrom(table as 'device').select(key[0] as 'dev_eui');
    const isEmpty = (await query.limit(1).executeTakeFirst()) === undefined;
    this.#wasEmpty.set(table, isEmpty);
    return isEmpty;
  }

  async #compare(table: TargetName, rows: readonly TargetRow[]): Promise<ComparedRow[]> {
    if (rows.length === 0) return [];
    const facts: TargetTable = targetTables[table];
    const storedByKey = await this.#readStored(table, rows);
    return rows.map((target): ComparedRow => {
      const stored = storedByKey.get(keyOf(table, target.values));
      if (!stored) return { target, outcome: 'new', differing: [] };
      if (facts.stays) return { target, outcome: 'same', differing: [] };
      const differing = differingColumns(this.#secrets, target, stored, this.#sealedBytes.get(target));
      if (differing.length === 0) return { target, outcome: 'same', differing };
      return { target, outcome: facts.hasChangedSince?.(stored) ? 'kept' : 'changed', differing };
    });
  }

  /** Stored rows of one table by key, with the columns that are compared. */
  async #readStored(table: TargetName, rows: readonly TargetRow[]): Promise<Map<string, SourceRow>> {
    const { by, key, stays }: TargetTable = targetTables[table];
    const valuesOf = (column: string) => [...new Set(rows.map(({ values }) => values[column]))];
    const owners = valuesOf(by);
    const valuesByColumn = new Map([[by, owners]]);
    for (const column of key.filter((one) => one !== by)) {
      const values = valuesOf(column);
      // Indexes begin with these columns: without the id of the network-server each portion would read the whole table.
      const areFew = values.length * fewOwnersFactor <= rows.length || values.length === 1;
      const haveFewOwners = owners.length * fewOwnersFactor < rows.length;
      if (areFew || haveFewOwners) valuesByColumn.set(column, values);
    }
    for (const values of valuesByColumn.values()) padList(values);
    const columns = stays ? [...key] : columnsOf(rows[0]!);
    const { rows: stored } = await this.#database.query.executeQuery<SourceRow>({
      ...this.#statements.select(table, columns, valuesByColumn),
      parameters: [...valuesByColumn.values()].flat(),
    } as CompiledQuery<SourceRow>);
    return new Map(stored.map((row) => [keyOf(table, row), row]));
  }

  /** Resolves with the number of rows it wrote. */
  async #write(table: TargetName, rows: readonly TargetRow[]): Promise<number> {
    const [first] = rows;
    if (!first) return 0;
    const columns = columnsOf(first);
    const parameters: unknown[] = [];
    for (const row of rows) {
      const sealed = this.#seal(row);
      if (sealed) this.#sealedBytes.set(row, sealed);
      for (const column of columns) parameters.push(sealed?.[column] ?? row.values[column]);
    }
    const insert = CompiledQuery.raw(this.#statements.insert(table, columns, rows.length), parameters);
    return Number((await this.#database.query.executeQuery(insert)).numAffectedRows);
  }

  #seal({ sealed }: TargetRow): Record<string, Uint8Array> | undefined {
    if (!sealed) return undefined;
    const bytes: Record<string, Uint8Array> = {};
    for (const column of Object.keys(sealed)) {
      const { plain, purpose } = sealed[column]!;
      bytes[column] = this.#secrets.seal(plain, purpose);
    }
    return bytes;
  }

  /** Reads the rows that were written and reports those that are missing or differ. */
  async #verify(compared: readonly ComparedRow[], reportProblem: ReportProblem): Promise<void> {
    const [written, others] = partition(
      compared,
      (row) => mustBeWritten(row) || this.#wasEmpty.get(row.target.table) === true,
    );
    for (const [table, rows] of portionsOf(written.map(({ target }) => target)))
      for (const { target, outcome, differing } of await this.#compare(table, rows)) {
        if (outcome === 'new') reportProblem(target, 'is missing');
        else if (outcome === 'changed') reportProblem(target, `differs in ${differing.join(', ')}`);
        else this.#markSeen(target);
      }
    for (const { target, outcome } of others) if (outcome === 'same') this.#markSeen(target);
  }
}

/** The rows of a batch by table, each key once, `portionSize` at a time. */
function* portionsOf(batch: readonly TargetRow[]): Generator<[TargetName, TargetRow[]]> {
  for (const [table, rows] of Map.groupBy(batch, ({ table: name }) => name)) {
    const unique = [...new Map(rows.map((row) => [keyOf(table, row.values), row])).values()];
    for (let from = 0; from < unique.length; from += portionSize) yield [table, unique.slice(from, from + portionSize)];
  }
}

/** Repeats the first value up to the next length that has a statement. */
function padList(values: unknown[]): void {
  const length = listLengths.find((one) => one >= values.length)!;
  while (values.length < length) values.push(values[0]);
}

function partition<Item>(items: readonly Item[], matches: (item: Item) => boolean): [matching: Item[], others: Item[]] {
  const { matching = [], others = [] } = Object.groupBy(items, (item) => (matches(item) ? 'matching' : 'others'));
  return [matching, others];
}
