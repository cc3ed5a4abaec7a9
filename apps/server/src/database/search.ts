import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseKind } from './database.ts';
import { alphabeticalIn } from './order.ts';
import { perDatabase } from './per-database.ts';
import { sqlWith } from './sql-with.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';
import { hasTag } from './tags.ts';
import { waitingTexts } from './waiting-texts.ts';

export type Searched = 'organization' | 'application' | 'gateway' | 'device';

/** With more candidates than this, reading all rows until a page is full is as quick. */
const mostCandidates = 500;
/** Trigrams of a text that are looked at, from its end: names of one kind begin alike. */
const mostTrigrams = 24;
/** A trigram in more rows than this narrows nothing. */
const mostCounted = 5000;
const maxCounts = 10_000;
const crowdedMs = 60_000;

const keys = { organization: 'organization.id', application: 'application.id', gateway: 'gateway.id' } as const;
const keyOf = (table: Searched) => (table === 'device' ? 'device.dev_eui' : keys[table]);

/** What a searched row must fulfil. */
export interface TextMatch {
  rule: RawBuilder<boolean>;
  /** The index of texts has found few rows, which `rule` names. */
  isNarrow: boolean;
}

/** Parameters of the condition of `isSought`. */
export interface Sought {
  pattern: string;
  /** JSON: keys of the rows that the index has found, where it has found few. */
  found: string;
}

/** Which rows hold the text in one of the columns (lower-case expressions), any letter case. */
export async function holdsText(
  database: Database,
  table: Searched,
  columns: readonly string[],
  search: string,
): Promise<TextMatch> {
  const { isNarrow, ...sought } = await seek(database, table, search);
  return { rule: sqlWith<boolean>(isSought(table, columns, isNarrow), { ...sought }), isNarrow };
}

/** The same in two steps, for a declared statement: what it is to be given, */
export async function seek(
  database: Database,
  table: Searched,
  search: string,
): Promise<Sought & Pick<TextMatch, 'isNarrow'>> {
  const found = await candidates(database, table, [[search]]);
  return { isNarrow: found !== undefined, pattern: patternOf(search), found: JSON.stringify(found ?? []) };
}

/** and the condition in it. */
export function isSought(table: Searched, columns: readonly string[], isNarrow: boolean): string {
  const byText = `(${like(columns)})`;
  return isNarrow ? `(${isFound(table)} and ${byText})` : byText;
}

/**
 * The condition where an index is to be asked for some patterns only, which every text that holds the pattern fulfils:
 * `rare` names their parameters.
 */
export function isSoughtByRare(column: string, rare: readonly string[]): string {
  const all = rare.map((name) => `${column} like $${name}`).join(' and ');
  return `(${all} and ${like([`${column} || ''`])})`;
}

/** Which tags a text asks for as `key:value`, with the words that do. */
export function tagsIn(search: string): { token: string; key: string; value: string }[] {
  return Array.from(search.matchAll(/([^\s:]+):(\S+)/g), ([token, key = '', value = '']) => ({ token, key, value }));
}

/** Like `holdsText`, or the tags hold every `key:value` of the text. */
export async function holdsTextOrTags(
  database: Database,
  table: 'gateway' | 'device',
  columns: readonly string[],
  search: string,
): Promise<TextMatch> {
  const pairs = tagsIn(search);
  if (pairs.length === 0) return holdsText(database, table, columns, search);
  const tags = pairs.map(({ key, value }) => hasTag(database.kind, `${table}.tags`, key, value));
  const found = await candidates(database, table, [[search], pairs.map(({ token }) => token)]);
  const byText = sqlWith(like(columns), { pattern: patternOf(search) });
  const rule = sql<boolean>`(${byText} or (${sql.join(tags, sql` and `)}))`;
  if (!found) return { rule, isNarrow: false };
  const isCandidate = sqlWith(isFound(table), { found: JSON.stringify(found) });
  return { rule: sql<boolean>`(${isCandidate} and ${rule})`, isNarrow: true };
}

/**
 * A column for another condition on searched rows. SQLite takes an organization or an application for smaller than a
 * list of keys and would read all of its rows: the plus keeps it from looking rows up by this column.
 */
export const besideIn = (isNarrow: boolean, column: string): string => (isNarrow ? `+${column}` : column);

/** The same in a statement of Kysely. */
export const beside = (match: Pick<TextMatch, 'isNarrow'> | undefined, column: string): RawBuilder<number> =>
  sql.raw<number>(besideIn(match?.isNarrow ?? false, column));

/** Exactly the name in the parameter `$name`, looked up in the index by which the rows are sorted. */
export const isNamed = (kind: DatabaseKind, column: string): string =>
  `(${alphabeticalIn(kind, column)} = ${alphabeticalIn(kind, '$name')} and ${column} = $name)`;

/** As the API has it, `%` and `_` of the caller stand for any text and any character. */
const patternOf = (search: string) => `%${search.toLowerCase().replaceAll('\\', '\\\\')}%`;

/** Whether one of the columns holds the text in the parameter `$pattern`. */
const like = (columns: readonly string[]): string =>
  columns.map((column) => `${column} like $pattern escape '\\'`).join(' or ');

/** Whether a lower-case expression holds the text, for tables that are small enough to be read. */
export function contains(column: string, search: string): RawBuilder<boolean> {
  return sqlWith<boolean>(like([column]), { pattern: patternOf(search) });
}

/** The same for the column of a name, `table.column`; without a text, all rows. */
export function isCalled(column: string, search: string): RawBuilder<boolean> {
  const quoted = column.replaceAll(/\w+/g, '"$&"');
  return search === '' ? sql<boolean>`true` : contains(`lower(${quoted})`, search);
}

/** Whether the key of a row is in the list of the parameter `$found`. */
const isFound = (table: Searched): string => `${keyOf(table)} in (select value from json_each($found))`;

/**
 * Keys of all rows that can match, some that do not among them; undefined when only reading the rows tells, because the
 * text is short or in very many. PostgreSQL finds its index by itself.
 * @param ways each a list of texts that are all in a matching row
 */
async function candidates(
  database: Database,
  table: Searched,
  ways: readonly (readonly string[])[],
): Promise<unknown[] | undefined> {
  if (database.kind === 'postgres') return undefined;
  const index = indexes(database)[table];
  // Before the index is queried: devices may be indexed meanwhile.
  const waiting = table === 'device' ? await waitingTexts(database).find(mostCandidates + 1) : [];
  if (waiting.length > mostCandidates) return undefined;
  const terms: string[] = [];
  for (const texts of ways) {
    const chosen = await index.rarest(texts.flatMap(trigrams).slice(-mostTrigrams));
    if (chosen.length === 0) return undefined;
    terms.push(`(${chosen.map(quoted).join(' AND ')})`);
  }
  const found = await index.few(terms.join(' OR '));
  return found && [...found, ...waiting];
}

const indexStatements = (table: Searched) => ({
  find: statement<RowOf<`${Searched}_search`, 'key'>>()({
    sql: `select key from ${table}_search where ${table}_search match $text limit ${mostCandidates + 1}`,
    given: { text: 'text' },
    only: 'sqlite',
  }),
  count: statement<{ count: number }>()({
    sql: `select count(*) as count
      from (select rowid from ${table}_search where ${table}_search match $text limit ${mostCounted})`,
    given: { text: 'text' },
    only: 'sqlite',
  }),
});

const statements = {
  organization: indexStatements('organization'),
  application: indexStatements('application'),
  gateway: indexStatements('gateway'),
  device: indexStatements('device'),
};

const indexes = perDatabase((database) => ({
  organization: indexOf(database, 'organization'),
  application: indexOf(database, 'application'),
  gateway: indexOf(database, 'gateway'),
  device: indexOf(database, 'device'),
}));

function indexOf(database: Database, table: Searched) {
  const find = statements[table].find(database);
  const count = statements[table].count(database);
  /** How many rows had a trigram when last counted; only the choice depends on it, so old counts do no harm. */
  const counts = new Map<string, number>();
  /** Texts that matched too many rows, and until when that counts. */
  const crowded = new Map<string, number>();

  async function countAnew(trigram: string): Promise<number> {
    const found = (await count.first({ text: quoted(trigram) }))?.count ?? 0;
    if (counts.size >= maxCounts) counts.clear();
    counts.set(trigram, found);
    return found;
  }

  /** Few that narrow most. Ones in very many rows only when there is nothing better: they are slow to join. */
  async function rarest(all: readonly string[]): Promise<string[]> {
    const counted: { trigram: string; rows: number }[] = [];
    for (const trigram of new Set(all))
      counted.push({ trigram, rows: counts.get(trigram) ?? (await countAnew(trigram)) });
    counted.sort((one, other) => one.rows - other.rows);
    const rare = counted.filter(({ rows }) => rows < mostCounted);
    return (rare.length > 0 ? rare.slice(0, 3) : counted.slice(0, 4)).map(({ trigram }) => trigram);
  }

  /** Undefined when there are many. */
  async function few(text: string): Promise<unknown[] | undefined> {
    if ((crowded.get(text) ?? 0) > performance.now()) return undefined;
    const rows = await find.all({ text });
    if (rows.length <= mostCandidates) return rows.map(({ key }) => key);
    if (crowded.size >= maxCounts) crowded.clear();
    crowded.set(text, performance.now() + crowdedMs);
    return undefined;
  }

  return { rarest, few };
}

/** Of the parts between the caller's wildcards, in code points, as the tokenizer of the index has them. */
export function trigrams(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[%_\0]/)
    .flatMap((part) => {
      const points = Array.from(part);
      return points.slice(2).map((_, at) => points.slice(at, at + 3).join(''));
    });
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Whether PostgreSQL could make the indexes of texts; SQLite always can. */
export async function searchesByIndex({ kind, query }: Database): Promise<boolean> {
  if (kind === 'sqlite') return true;
  const { rows } = await sql`select 1 from pg_indexes where indexname = 'device_search_text'`.execute(query);
  return rows.length > 0;
}
