import { CompiledQuery, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Secrets } from '../../secrets.ts';
import type { SourceRow } from '../source/postgres.ts';
import { keyOf, type TargetName, type TargetTable, targetTables, type Wanted } from '../wanted.ts';

export type Outcome = 'new' | 'changed' | 'same' | 'kept';

/** So many rows in one statement: SQLite takes 32,766 values, PostgreSQL 65,535. */
const rowsAtOnce = 400;
/**
 * Where a few have so many times as many rows, such as a device with all DevNonces it ever used, the rest of the key is
 * looked for as well: otherwise every portion would read all that they have.
 */
const fewAmong = 8;

/**
 * Rows of ours as they shall be, held against those that are stored. Comparing is the whole of it: a first pass finds
 * nothing and writes all, a later one writes what differs, and the last look writes nothing and names what differs.
 */
export function createPlace({ database, secrets }: { database: Database; secrets: Secrets }) {
  const statements = new Map<string, string>();

  /** Stored rows of one table by key. */
  async function stored(table: TargetName, rows: readonly Wanted[]): Promise<Map<string, SourceRow>> {
    const { by, key } = targetTables[table];
    const valuesOf = (column: string) => [...new Set(rows.map(({ values }) => values[column] as string))];
    const owners = valuesOf(by);
    const areManyOfFew = owners.length * fewAmong < rows.length;
    let query = database.query
      .selectFrom(table as 'device')
      .selectAll()
      .where(by as 'dev_eui', 'in', owners);
    for (const column of areManyOfFew ? key.filter((one) => one !== by) : [])
      query = query.where(column as 'dev_eui', 'in', valuesOf(column));
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
  async function compare(table: TargetName, rows: readonly Wanted[]) {
    const facts: TargetTable = targetTables[table];
    const found = await stored(table, rows);
    return rows.map((wanted): { wanted: Wanted; outcome: Outcome; columns: string[] } => {
      const row = found.get(keyOf(table, wanted.values));
      if (!row) return { wanted, outcome: 'new', columns: [] };
      if (facts.stays) return { wanted, outcome: 'same', columns: [] };
      const columns = differing(wanted, row);
      if (columns.length === 0) return { wanted, outcome: 'same', columns };
      return { wanted, outcome: facts.hasMovedOn?.(row) ? 'kept' : 'changed', columns };
    });
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
    /** Makes what is stored what is wanted, all or nothing, and says of each row what it took. */
    store: async (batch: readonly Wanted[], tell: (wanted: Wanted, outcome: Outcome) => void): Promise<void> => {
      const told: [Wanted, Outcome][] = [];
      await database.transaction(async () => {
        for (const [table, rows] of portions(batch)) {
          const compared = await compare(table, rows);
          const toWrite = compared.filter(({ outcome }) => outcome === 'new' || outcome === 'changed');
          await write(
            table,
            toWrite.map(({ wanted }) => wanted),
          );
          for (const { wanted, outcome } of compared) told.push([wanted, outcome]);
        }
      });
      for (const [wanted, outcome] of told) tell(wanted, outcome);
    },

    /** Only looks, and names each row that is not as it should be, with the columns that differ. */
    verify: async (batch: readonly Wanted[], tell: (wanted: Wanted, problem: string) => void): Promise<void> => {
      for (const [table, rows] of portions(batch))
        for (const { wanted, outcome, columns } of await compare(table, rows)) {
          if (outcome === 'new') tell(wanted, 'is missing');
          else if (outcome === 'changed') tell(wanted, `differs in ${columns.join(', ')}`);
        }
    },

    /** Removes rows of a table whose keys are not among these; answers how many. */
    removeOthers: async (table: TargetName, keys: ReadonlySet<string>): Promise<number> => {
      const facts: TargetTable = targetTables[table];
      const rows = await database.query
        .selectFrom(table as 'device')
        .select(columnsOf(facts) as 'dev_eui'[])
        .execute();
      const gone = (rows as unknown as SourceRow[]).filter(
        (row) => !keys.has(keyOf(table, row)) && !facts.hasMovedOn?.(row),
      );
      if (gone.length === 0) return 0;
      await database.transaction(async () => {
        for (const row of gone) {
          const isIt = facts.key.map((column) => sql`${sql.ref(column)} = ${row[column]}`);
          await sql`delete from ${sql.table(table)} where ${sql.join(isIt, sql` and `)}`.execute(database.query);
        }
      });
      return gone.length;
    },
  };
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
