import { hash } from 'node:crypto';
import { CompiledQuery, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Secrets } from '../../secrets.ts';
import type { SourceRow } from '../source/postgres.ts';
import { digestOfName, type RowDigests } from './row-digests.ts';
import { keyOf, type TargetName, type TargetRow, type TargetTable, targetTables } from './target-rows.ts';

export type WriteOutcome = 'new' | 'changed' | 'same' | 'kept';

interface Compared {
  wanted: TargetRow;
  outcome: WriteOutcome;
  /** That differ. */
  columns: string[];
}

/** Hears of a row that is not as it should be. */
type Tell = (wanted: TargetRow, problem: string) => void;

/** What rows are known by. */
export interface Keys {
  size: number;
  has: (key: string) => boolean;
}

const isToWrite = ({ outcome }: Compared) => outcome === 'new' || outcome === 'changed';

/** So many rows in one statement: SQLite takes 32,766 values, PostgreSQL 65,535. */
const rowsAtOnce = 400;
/** Lists of so many values are looked for, the last one repeated: a statement for each length would be prepared each time. */
const listLengths = [1, 20, rowsAtOnce];
/**
 * Where a few have so many times as many rows, such as a device with all DevNonces it ever used, the rest of the key is
 * looked for as well: otherwise every portion would read all that they have.
 */
const fewAmong = 8;

/**
 * Rows of ours as they shall be, held against those that are stored, in one pass. Comparing is the whole of it: a first pass
 * finds nothing and writes all, a later one writes what differs, and a look at what was written writes nothing and names
 * what differs. Passes of one process share `memory`: what one has seen to be stored, by row what it was, both as digests,
 * the next one need not read again, since nobody else writes there.
 */
export function createTargetWriter(
  { database, secrets }: { database: Database; secrets: Secrets },
  memory?: RowDigests,
) {
  const statements = new Map<string, string>();
  const selects = new Map<string, CompiledQuery>();
  /** Of rows just written: the same bytes need not be opened to be the same. */
  const sealedAs = new Map<TargetRow, Readonly<Record<string, Uint8Array>>>();
  /** Tables without a row when this pass came to them. */
  const empty = new Map<TargetName, boolean>();
  const know = (wanted: TargetRow) => memory?.set(nameOf(wanted), contentOf(wanted));
  const isKnown = (wanted: TargetRow) => {
    const content = memory?.get(nameOf(wanted));
    return content !== undefined && content === contentOf(wanted);
  };

  /** Nobody else writes there: what this pass has not written yet is not there. */
  async function wasEmpty(table: TargetName): Promise<boolean> {
    const known = empty.get(table);
    if (known !== undefined) return known;
    const { key } = targetTables[table];
    const query = database.query.selectFrom(table as 'device').select(key[0] as 'dev_eui');
    const isEmpty = (await query.limit(1).executeTakeFirst()) === undefined;
    empty.set(table, isEmpty);
    return isEmpty;
  }

  /** Stored rows of one table by key, with the columns that are compared. */
  async function stored(table: TargetName, rows: readonly TargetRow[]): Promise<Map<string, SourceRow>> {
    const { by, key, stays }: TargetTable = targetTables[table];
    const valuesOf = (column: string) => [...new Set(rows.map(({ values }) => values[column]))];
    const owners = valuesOf(by);
    const asked = new Map([[by, owners]]);
    for (const column of key.filter((one) => one !== by)) {
      const values = valuesOf(column);
      // Indexes begin with them: without the id of the network-server each portion would read the whole table.
      const areFew = values.length * fewAmong <= rows.length || values.length === 1;
      const areManyOfFew = owners.length * fewAmong < rows.length;
      if (areFew || areManyOfFew) asked.set(column, values);
    }
    for (const values of asked.values()) lengthen(values);
    const columns = stays ? [...key] : columnsOf(rows[0]!);
    const select = selectOf(table, columns, asked);
    const { rows: found } = await database.query.executeQuery<SourceRow>({
      ...select,
      parameters: [...asked.values()].flat(),
    } as CompiledQuery<SourceRow>);
    return new Map(found.map((row) => [keyOf(table, row), row]));
  }

  /** The same text for lists as long is prepared once. */
  function selectOf(
    table: TargetName,
    columns: readonly string[],
    asked: ReadonlyMap<string, readonly unknown[]>,
  ): CompiledQuery {
    const lists = [...asked].map(([column, { length }]) => `${column} ${length}`);
    const name = `${table} ${columns.join(' ')} by ${lists.join(' ')}`;
    const known = selects.get(name);
    if (known) return known;
    let query = database.query.selectFrom(table as 'device').select(columns as 'dev_eui'[]);
    for (const [column, values] of asked) query = query.where(column as 'dev_eui', 'in', values as string[]);
    const made = query.compile();
    selects.set(name, made);
    return made;
  }

  /** Which columns differ from what is stored. */
  function differing(given: TargetRow, row: SourceRow): string[] {
    const { table, values, sealed = {} } = given;
    const { once = [], growing = [] }: TargetTable = targetTables[table];
    const plain = Object.keys(values).filter((column) => {
      if (once.includes(column)) return false;
      if (growing.includes(column)) return Number(row[column]) < Number(values[column]);
      return !isSame(row[column], values[column]);
    });
    const hidden = Object.keys(sealed).filter((column) => {
      const { plain: bytes, purpose } = sealed[column]!;
      const written = sealedAs.get(given)?.[column];
      if (written) return Buffer.compare(row[column] as Uint8Array, written) !== 0;
      return Buffer.compare(opened(row[column], purpose), bytes) !== 0;
    });
    return hidden.length === 0 ? plain : [...plain, ...hidden];
  }

  /** What does not open was not sealed by us: it differs. */
  function opened(value: unknown, purpose: string): Uint8Array {
    try {
      return secrets.open(value as Uint8Array, purpose);
    } catch {
      return Buffer.from('does not open');
    }
  }

  /** What is to become of each row. */
  async function compare(table: TargetName, rows: readonly TargetRow[]): Promise<Compared[]> {
    if (rows.length === 0) return [];
    const facts: TargetTable = targetTables[table];
    const found = await stored(table, rows);
    return rows.map((wanted): Compared => {
      const row = found.get(keyOf(table, wanted.values));
      if (!row) return { wanted, outcome: 'new', columns: [] };
      if (facts.stays) return { wanted, outcome: 'same', columns: [] };
      const columns = differing(wanted, row);
      if (columns.length === 0) return { wanted, outcome: 'same', columns };
      return { wanted, outcome: facts.hasMovedOn?.(row) ? 'kept' : 'changed', columns };
    });
  }

  /** Writes what is not there as it shall be. */
  async function storePortion(table: TargetName, rows: readonly TargetRow[]): Promise<Compared[]> {
    const isFirst = await wasEmpty(table);
    const compared = isFirst ? rows.map(asNew) : await compare(table, rows);
    const written = await write(
      table,
      compared.filter(isToWrite).map(({ wanted }) => wanted),
    );
    // Of those the source has twice the first one stays; which they are makes no difference.
    if (isFirst) for (const twice of compared.slice(written)) twice.outcome = 'same';
    return compared;
  }

  /** Reads what was written, and names what is not as it shall be. */
  async function lookAgain(compared: readonly Compared[], tell: Tell): Promise<void> {
    const [written, others] = divided(compared, (one) => isToWrite(one) || empty.get(one.wanted.table) === true);
    for (const [table, rows] of portions(written.map(({ wanted }) => wanted)))
      for (const { wanted, outcome, columns } of await compare(table, rows)) {
        if (outcome === 'new') tell(wanted, 'is missing');
        else if (outcome === 'changed') tell(wanted, `differs in ${columns.join(', ')}`);
        else know(wanted);
      }
    for (const { wanted, outcome } of others) if (outcome === 'same') know(wanted);
  }

  /** Answers how many it wrote. */
  async function write(table: TargetName, rows: readonly TargetRow[]): Promise<number> {
    const [first] = rows;
    if (!first) return 0;
    const columns = columnsOf(first);
    const parameters: unknown[] = [];
    for (const wanted of rows) {
      const sealed = sealedBytes(wanted);
      if (sealed) sealedAs.set(wanted, sealed);
      for (const column of columns) parameters.push(sealed?.[column] ?? wanted.values[column]);
    }
    const insert = CompiledQuery.raw(statement(table, columns, rows.length), parameters);
    return Number((await database.query.executeQuery(insert)).numAffectedRows);
  }

  function sealedBytes({ sealed }: TargetRow): Record<string, Uint8Array> | undefined {
    if (!sealed) return undefined;
    const bytes: Record<string, Uint8Array> = {};
    for (const column of Object.keys(sealed)) {
      const { plain, purpose } = sealed[column]!;
      bytes[column] = secrets.seal(plain, purpose);
    }
    return bytes;
  }

  /** The same text for as many rows is prepared once. */
  function statement(table: TargetName, columns: readonly string[], rows: number): string {
    const name = `${table} ${rows} ${columns.join(' ')}`;
    const known = statements.get(name);
    if (known) return known;
    const { key, once = [], stays }: TargetTable = targetTables[table];
    const hole = database.kind === 'sqlite' ? () => '?' : (place: number) => `$${place + 1}`;
    const tuples = Array.from(
      { length: rows },
      (_, row) => `(${columns.map((_column, place) => hole(row * columns.length + place)).join(', ')})`,
    );
    const changed = columns.filter((column) => !key.includes(column) && !once.includes(column));
    const update = changed.map((column) => `"${column}" = excluded."${column}"`).join(', ');
    const conflict = stays || update === '' ? 'do nothing' : `do update set ${update}`;
    const quoted = (names: readonly string[]) => names.map((one) => `"${one}"`).join(', ');
    const made = `insert into "${table}" (${quoted(columns)}) values ${tuples.join(', ')} on conflict (${quoted(key)}) ${conflict}`;
    if (statements.size > 200) statements.clear();
    statements.set(name, made);
    return made;
  }

  /** Rows of one batch by table, each once, some at a time. */
  function* portions(batch: readonly TargetRow[]): Generator<[TargetName, TargetRow[]]> {
    for (const [table, rows] of Map.groupBy(batch, ({ table: name }) => name)) {
      const once = [...new Map(rows.map((row) => [keyOf(table, row.values), row])).values()];
      for (let from = 0; from < once.length; from += rowsAtOnce) yield [table, once.slice(from, from + rowsAtOnce)];
    }
  }

  return {
    /**
     * Makes what is stored what is wanted, all or nothing, and says of each row what it took. Then each row that was written
     * is read, and one that is not as it should be is named, with the columns that differ. Rows that an earlier pass has seen,
     * and that have not changed since, are not looked at.
     */
    store: async (
      batch: readonly TargetRow[],
      tell: (wanted: TargetRow, outcome: WriteOutcome) => void,
      tellProblem: Tell,
    ) => {
      const [known, others] = memory ? divided(batch, isKnown) : [[], batch];
      for (const wanted of known) tell(wanted, 'same');
      if (others.length === 0) return;
      const done: Compared[] = [];
      await database.transaction(async () => {
        done.length = 0;
        for (const [table, rows] of portions(others)) done.push(...(await storePortion(table, rows)));
      });
      for (const { wanted, outcome } of done) tell(wanted, outcome);
      await lookAgain(done, tellProblem);
      sealedAs.clear();
    },

    /**
     * Removes rows of a table whose keys are not among these; answers how many, and how many of these are not there. Each of
     * these has been through `store`.
     */
    removeOthers: async (table: TargetName, keys: Keys): Promise<{ removed: number; missing: number }> => {
      const facts: TargetTable = targetTables[table];
      const all = database.query.selectFrom(table as 'device');
      const { count } = await all.select((of) => of.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
      // Each was seen to be stored: as many rows are no others.
      if (Number(count) === keys.size) return { removed: 0, missing: 0 };
      const columns = facts.hasMovedOn ? [...facts.key, 'revision'] : facts.key;
      const rows = (await all.select(columns as 'dev_eui'[]).execute()) as unknown as SourceRow[];
      const gone = rows.filter((row) => !keys.has(keyOf(table, row)) && !facts.hasMovedOn?.(row));
      const there = rows.reduce((sum, row) => sum + Number(keys.has(keyOf(table, row))), 0);
      const missing = keys.size - there;
      if (gone.length === 0) return { removed: 0, missing };
      await database.transaction(async () => {
        for (const row of gone) {
          const isIt = facts.key.map((column) => sql`${sql.ref(column)} = ${row[column]}`);
          await sql`delete from ${sql.table(table)} where ${sql.join(isIt, sql` and `)}`.execute(database.query);
        }
      });
      return { removed: gone.length, missing };
    },
  };
}

const nameOf = ({ table, values }: TargetRow) => digestOfName(`${table}/${keyOf(table, values)}`);

/** 48 bits of all it consists of, its key included. */
function contentOf({ values, sealed = {} }: TargetRow): number {
  let text = JSON.stringify(values);
  for (const column of Object.keys(sealed)) text += ` ${column} ${sealed[column]!.plain.toHex()}`;
  return hash('sha256', text, 'buffer').readUIntBE(0, 6);
}

/** In the order in which they are written. */
const columnsOf = ({ values, sealed = {} }: TargetRow): string[] => [...Object.keys(values), ...Object.keys(sealed)];

const asNew = (wanted: TargetRow): Compared => ({ wanted, outcome: 'new', columns: [] });

/** To the next length that has a statement. */
function lengthen(values: unknown[]): void {
  const length = listLengths.find((one) => one >= values.length)!;
  while (values.length < length) values.push(values[0]);
}

function divided<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [first: Item[], other: Item[]] {
  const { first = [], other = [] } = Object.groupBy(items, (item) => (isFirst(item) ? 'first' : 'other'));
  return [first, other];
}

export type TargetWriter = ReturnType<typeof createTargetWriter>;

function isSame(stored: unknown, wanted: unknown): boolean {
  if (stored === wanted) return true;
  if (stored instanceof Date && wanted instanceof Date) return stored.getTime() === wanted.getTime();
  if (typeof wanted === 'object' && wanted !== null && !(wanted instanceof Uint8Array))
    return JSON.stringify(stored) === JSON.stringify(wanted) || sorted(stored) === sorted(wanted);
  return (stored ?? null) === (wanted ?? null);
}

/** JSON whose members are in one order: databases keep none. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
