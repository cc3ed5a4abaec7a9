import { hash } from 'node:crypto';
import { CompiledQuery, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Secrets } from '../../secrets.ts';
import type { SourceRow } from '../source/postgres.ts';
import { keyOf, type TargetName, type TargetTable, targetTables, type Wanted } from '../wanted.ts';

export type Outcome = 'new' | 'changed' | 'same' | 'kept';

interface Compared {
  wanted: Wanted;
  outcome: Outcome;
  /** That differ. */
  columns: string[];
}

/** Hears of a row that is not as it should be. */
type Tell = (wanted: Wanted, problem: string) => void;

const isToWrite = ({ outcome }: Compared) => outcome === 'new' || outcome === 'changed';

/** So many rows in one statement: SQLite takes 32,766 values, PostgreSQL 65,535. */
const rowsAtOnce = 400;
/**
 * Where a few have so many times as many rows, such as a device with all DevNonces it ever used, the rest of the key is
 * looked for as well: otherwise every portion would read all that they have.
 */
const fewAmong = 8;

/**
 * Rows of ours as they shall be, held against those that are stored. Comparing is the whole of it: a first pass finds
 * nothing and writes all, a later one writes what differs, and a look at what was written writes nothing and names what
 * differs. The passes of one process share it: what it has seen to be stored it need not read again, since nobody else
 * writes there.
 */
export function createPlace({ database, secrets }: { database: Database; secrets: Secrets }) {
  const statements = new Map<string, string>();
  /** By row, what it was when it was last seen to be stored so, both as digests: there may be a million of them. */
  const seen = new Map<number, number>();
  const know = (wanted: Wanted) => seen.set(nameOf(wanted), contentOf(wanted));
  const isKnown = (wanted: Wanted) => seen.size > 0 && seen.get(nameOf(wanted)) === contentOf(wanted);

  /** Stored rows of one table by key. */
  async function stored(table: TargetName, rows: readonly Wanted[]): Promise<Map<string, SourceRow>> {
    const { by, key } = targetTables[table];
    const valuesOf = (column: string) => [...new Set(rows.map(({ values }) => values[column] as string))];
    const owners = valuesOf(by);
    let query = database.query
      .selectFrom(table as 'device')
      .selectAll()
      .where(by as 'dev_eui', 'in', owners);
    for (const column of key.filter((one) => one !== by)) {
      const values = valuesOf(column);
      // Indexes begin with them: without the id of the network-server each portion would read the whole table.
      const areFew = values.length * fewAmong <= rows.length || values.length === 1;
      const areManyOfFew = owners.length * fewAmong < rows.length;
      if (areFew || areManyOfFew) query = query.where(column as 'dev_eui', 'in', values);
    }
    const found = await query.execute();
    return new Map(found.map((row) => [keyOf(table, row as unknown as SourceRow), row as unknown as SourceRow]));
  }

  /** Which columns differ from what is stored. */
  function differing({ table, values, sealed = {} }: Wanted, row: SourceRow): string[] {
    const { once = [], growing = [] }: TargetTable = targetTables[table];
    const plain = Object.keys(values).filter((column) => {
      if (once.includes(column)) return false;
      if (growing.includes(column)) return Number(row[column]) < Number(values[column]);
      return !isSame(row[column], values[column]);
    });
    const hidden = Object.entries(sealed).filter(([column, { plain: bytes, purpose }]) => {
      return Buffer.compare(opened(row[column], purpose), bytes) !== 0;
    });
    return [...plain, ...hidden.map(([column]) => column)];
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
  async function compare(table: TargetName, rows: readonly Wanted[]): Promise<Compared[]> {
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

  /** Writes what is not there as it shall be. Rows that were there before, and not changed since, are not looked at again. */
  async function storePortion(table: TargetName, rows: readonly Wanted[]): Promise<Compared[]> {
    const [before, others] = divided(rows, isKnown);
    const compared = await compare(table, others);
    await write(
      table,
      compared.filter(isToWrite).map(({ wanted }) => wanted),
    );
    return [...before.map((wanted): Compared => ({ wanted, outcome: 'same', columns: [] })), ...compared];
  }

  /** Reads what was written, and names what is not as it shall be. */
  async function lookAgain(compared: readonly Compared[], tell: Tell): Promise<void> {
    const written = compared.filter(isToWrite).map(({ wanted }) => wanted);
    for (const [table, rows] of portions(written))
      for (const { wanted, outcome, columns } of await compare(table, rows)) {
        if (outcome === 'new') tell(wanted, 'is missing');
        else if (outcome === 'changed') tell(wanted, `differs in ${columns.join(', ')}`);
        else know(wanted);
      }
    for (const { wanted, outcome } of compared) if (outcome === 'same') know(wanted);
  }

  async function write(table: TargetName, rows: readonly Wanted[]): Promise<void> {
    const [first] = rows;
    if (!first) return;
    const columns = [...Object.keys(first.values), ...Object.keys(first.sealed ?? {})];
    const parameters = rows.flatMap(({ values, sealed = {} }) =>
      columns.map((column) => {
        const secret = sealed[column];
        return secret ? secrets.seal(secret.plain, secret.purpose) : values[column];
      }),
    );
    await database.query.executeQuery(CompiledQuery.raw(statement(table, columns, rows.length), parameters));
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
  function* portions(batch: readonly Wanted[]): Generator<[TargetName, Wanted[]]> {
    for (const [table, rows] of Map.groupBy(batch, ({ table: name }) => name)) {
      const once = [...new Map(rows.map((row) => [keyOf(table, row.values), row])).values()];
      for (let from = 0; from < once.length; from += rowsAtOnce) yield [table, once.slice(from, from + rowsAtOnce)];
    }
  }

  return {
    /**
     * Makes what is stored what is wanted, all or nothing, and says of each row what it took. Then each row that was written
     * is read, and one that is not as it should be is named, with the columns that differ.
     */
    store: async (batch: readonly Wanted[], tell: (wanted: Wanted, outcome: Outcome) => void, tellProblem: Tell) => {
      const done: Compared[] = [];
      await database.transaction(async () => {
        done.length = 0;
        for (const [table, rows] of portions(batch)) done.push(...(await storePortion(table, rows)));
      });
      for (const { wanted, outcome } of done) tell(wanted, outcome);
      await lookAgain(done, tellProblem);
    },

    /** Removes rows of a table whose keys are not among these; answers how many, and how many of these are not there. */
    removeOthers: async (
      table: TargetName,
      keys: ReadonlySet<string>,
    ): Promise<{ removed: number; missing: number }> => {
      const facts: TargetTable = targetTables[table];
      const rows = await database.query
        .selectFrom(table as 'device')
        .select(columnsOf(facts) as 'dev_eui'[])
        .execute();
      const gone = (rows as unknown as SourceRow[]).filter(
        (row) => !keys.has(keyOf(table, row)) && !facts.hasMovedOn?.(row),
      );
      const there = (rows as unknown as SourceRow[]).reduce((sum, row) => sum + Number(keys.has(keyOf(table, row))), 0);
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

const nameOf = ({ table, values }: Wanted) => digest(`${table}/${keyOf(table, values)}`);

function contentOf({ values, sealed = {} }: Wanted): number {
  const secrets = Object.entries(sealed).map(
    ([column, { plain }]) => `${column} ${Buffer.from(plain).toString('hex')}`,
  );
  return digest(`${JSON.stringify(values)} ${secrets.join(' ')}`);
}

/** 48 bits. */
const digest = (text: string) => hash('sha256', text, 'buffer').readUIntBE(0, 6);

function divided<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [first: Item[], other: Item[]] {
  const { first = [], other = [] } = Object.groupBy(items, (item) => (isFirst(item) ? 'first' : 'other'));
  return [first, other];
}

export type Place = ReturnType<typeof createPlace>;

const columnsOf = ({ key, hasMovedOn }: TargetTable) => (hasMovedOn ? [...key, 'revision'] : [...key]);

function isSame(stored: unknown, wanted: unknown): boolean {
  if (stored instanceof Date && wanted instanceof Date) return stored.getTime() === wanted.getTime();
  if (typeof wanted === 'object' && wanted !== null && !(wanted instanceof Uint8Array))
    return sorted(stored) === sorted(wanted);
  return stored === wanted || (stored ?? null) === (wanted ?? null);
}

/** JSON whose members are in one order: databases keep none. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
