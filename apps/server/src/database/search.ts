import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseKind } from './database.ts';
import { alphabeticalIn } from './order.ts';
import { perDatabase } from './per-database.ts';
import { sqlWith } from './sql-with.ts';
import { statement } from './statement.ts';
import type { RowOf } from './tables.ts';
import { hasTag } from './tags.ts';
import { unindexedTexts } from './unindexed-texts.ts';

export type Searched = 'organization' | 'application' | 'gateway' | 'device';

/** With more candidates than this, reading all rows until a page is full is as fast. */
const mostCandidates = 500;
/** The number of trigrams of a text that are checked, from its end: names of one kind begin alike. */
const mostTrigrams = 24;
/** A trigram in more rows than this does not narrow the search. */
const mostCounted = 5000;
const maxCounts = 10_000;
const crowdedMs = 60_000;

const keys = { organization: 'organization.id', application: 'application.id', gateway: 'gateway.id' } as const;
const keyOf = (table: Searched) => (table === 'device' ? 'device.dev_eui' : keys[table]);

/** A condition for searched rows. */
export interface TextMatch {
  rule: RawBuilder<boolean>;
  /** The index of texts has found few rows, which `rule` lists. */
  isNarrow: boolean;
}

/** Parameters of the condition of `isSought`. */
export interface Sought {
  pattern: string;
  /** JSON: the keys of the rows that the index has found, if these are few. */
  found: string;
}

/** The condition for rows with the text in one of the columns (lower-case expressions), in any letter case. */
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

/** The tags that a text requests as `key:value`, with their words. */
export function tagsIn(search: string): { token: string; key: string; value: string }[] {
  return Array.from(search.matchAll(/([^\s:]+):(\S+)/g), ([token, key = '', value = '']) => ({ token, key, value }));
}

/** Like `holdsText`, or the tags contain every `key:value` of the text. */
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
 * A column for another condition on searched rows. SQLite expects an organization or an application to have fewer rows
 * than a list of keys and would read all of them: the plus prevents it from using the index of this column.
 */
export const besideIn = (isNarrow: boolean, column: string): string => (isNarrow ? `+${column}` : column);

/** The same in a statement of Kysely. */
export const beside = (match: Pick<TextMatch, 'isNarrow'> | undefined, column: string): RawBuilder<number> =>
  sql.raw<number>(besideIn(match?.isNarrow ?? false, column));

/** Exactly the name in the parameter `$name`, looked up in the index by which the rows are sorted. */
export const isNamed = (kind: DatabaseKind, column: string): string =>
  `(${alphabeticalIn(kind, column)} = ${alphabeticalIn(kind, '$name')} and ${column} = $name)`;

/** As in the API, `%` and `_` of the caller match any text and any character. */
const patternOf = (search: string) => `%${search.toLowerCase().replaceAll('\\', '\\\\')}%`;

/** Whether one of the columns holds the text in the parameter `$pattern`. */
const like = (columns: readonly string[]): string =>
  columns.map((column) => `${column} like $pattern escape '\\'`).join(' or ');

/** Whether a lower-case expression contains the text, for tables that are small enough to be scanned. */
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
 * The keys of all rows that may match; some of them may not. Undefined when the rows must be scanned, because the text
 * is short or in very many rows. PostgreSQL chooses its index itself. @param ways each a list of texts that are all in
 * a matching row
 */
async function candidates(
  database: Database,
  table: Searched,
  ways: readonly (readonly string[])[],
): Promise<unknown[] | undefined> {
  if (database.kind === 'postgres') return undefined;
  const index = indexes(database)[table];
  // Before the index is queried: devices may be indexed meanwhile.
  const waiting = table === 'device' ? await unindexedTexts(database).find(mostCandidates + 1) : [];
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
  /** The last counts of rows with a trigram. Only the choice depends on them, so old counts are harmless. */
  const counts = new Map<string, number>();
  /** Texts that matched too many rows, and how long this is assumed. */
  const crowded = new Map<string, number>();

  async function countAnew(trigram: string): Promise<number> {
    const found = (await count.first({ text: quoted(trigram) }))?.count ?? 0;
    if (counts.size >= maxCounts) counts.clear();
    counts.set(trigram, found);
    return found;
  }

  /** The few that narrow most. Frequent ones only when there is nothing better, because they are slow to join. */
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

/** Trigrams of the parts between the caller's wildcards, in code points like the tokenizer of the index. */
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

/** Whether PostgreSQL could create the indexes of texts; SQLite always can. */
export async function searchesByIndex({ kind, query }: Database): Promise<boolean> {
  if (kind === 'sqlite') return true;
  const { rows } = await sql`select 1 from pg_indexes where indexname = 'device_search_text'`.execute(query);
  return rows.length > 0;
}
