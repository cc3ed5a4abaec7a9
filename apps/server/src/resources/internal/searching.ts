import { sql } from 'kysely';
import type { Database, DatabaseKind } from '../../database/database.ts';
import { rarestTrigrams } from '../../database/rarest-trigrams.ts';
import {
  besideIn,
  holdsTextOrTags,
  isNamed,
  isSought,
  isSoughtByRare,
  type Searched,
  type Sought,
  seek,
  tagsIn,
  trigrams,
} from '../../database/search.ts';
import { sqlWith } from '../../database/sql-with.ts';
import { type Statement, statement } from '../../database/statement.ts';
import type { ApplicationLimit } from '../../identity/visibility.ts';

/** The most rows of one kind that are examined: nobody pages that far through a search. */
const mostPerKind = 200;
/**
 * A text that this many rows at the beginning of the table contain often enough is found faster by a scan than by the
 * index.
 */
const readInOrder = 4000;
/** How long a text counts as frequent or rare. */
const believedMs = 60_000;
const mostBelieved = 10_000;

export interface SearchRequest {
  search: string;
  /** Undefined means all. */
  organizationIDs: readonly number[] | undefined;
  /** Names the applications that the caller sees beside those organizations. */
  within: Pick<ApplicationLimit, 'applicationIDs'> | undefined;
}

/** A searched table and its result rows. */
interface SearchedKind {
  table: Searched;
  /** Lower-case expressions that may contain the text. */
  texts: readonly [string, ...string[]];
  /** For tables with few rows: searches at the same time share one scan. */
  isSmall?: true;
  /** Whether only the first of `texts` can contain the text, and the trigram index covers it. */
  isOnlyInFirst?: (search: string) => boolean;
  /** The SQL that selects the rows; `from` is the table, or a subquery with its name. */
  select: (from: string) => string;
  /**
   * The condition for rows of the organizations of the caller. `beside` writes a column so that no index is used when the
   * text index has found few rows; `isVisible` says whether the organization in a column is one of them, `isOneOf` whether
   * the application in a column is one that the caller is limited to.
   */
  isWithin: (
    beside: (column: string) => string,
    isVisible: (column: string) => string,
    isOneOf: (column: string) => string,
  ) => string;
}

/** By the text, by some of its trigrams in addition, by a scan of the first rows, or by name. */
const ways = ['text', 'oneRare', 'twoRare', 'threeRare', 'inOrder', 'name'] as const;
type Way = (typeof ways)[number];
const rareWays = ['text', 'oneRare', 'twoRare', 'threeRare'] as const;
const rareParameters = ['rare', 'second', 'third'] as const;

const parameterNames = ['pattern', 'found', 'name', 'organizations', 'applications', ...rareParameters] as const;
type Given = Readonly<Record<(typeof parameterNames)[number], string>>;

/** The statement of each way, for callers who see all organizations and for others. */
type SearchStatements<Row> = ReadonlyMap<string, (database: Database) => Statement<Given, Row>>;
const keyOf = (way: Way, isNarrow: boolean, isWithin: boolean) => `${way} ${isNarrow} ${isWithin}`;

/** The condition for what the caller sees, by the parameters `$organizations` and `$applications`. */
const withinOrganizations = ({ isWithin }: SearchedKind, kind: DatabaseKind, isNarrow: boolean) =>
  isWithin(
    (column) => besideIn(isNarrow, column),
    (column) => isIn(kind, column, '$organizations'),
    (column) => isIn(kind, column, '$applications'),
  );

function ruleOf(way: Way, { table, texts }: SearchedKind, kind: DatabaseKind, isNarrow: boolean): string {
  if (way === 'name') return isNamed(kind, `${table}.name`);
  const rare = rareParameters.slice(0, Math.max(rareWays.indexOf(way as 'text'), 0));
  return rare.length === 0 ? isSought(table, texts, isNarrow) : isSoughtByRare(texts[0], rare);
}

/** SQLite finds few rows by its index, or reads all; PostgreSQL has the other ways, for tables that are not small. */
function waysOf({ isSmall }: SearchedKind): { way: Way; isNarrow: boolean; only?: DatabaseKind }[] {
  return [
    { way: 'text', isNarrow: true, only: 'sqlite' },
    ...ways
      .filter((way) => way === 'text' || way === 'name' || !isSmall)
      .map((way) => ({ way, isNarrow: false, ...(way !== 'text' && way !== 'name' && { only: 'postgres' as const }) })),
  ];
}

function declareStatements<Row extends object>(searched: SearchedKind): SearchStatements<Row> {
  const { table, select, isSmall } = searched;
  const declared = [false, true].flatMap((isWithin) =>
    waysOf(searched).map(({ way, isNarrow, only }) => {
      const sqlFor = (kind: DatabaseKind) => {
        const of = isWithin ? `${withinOrganizations(searched, kind, isNarrow)} and ` : '';
        return `${select(way === 'inOrder' ? firstRows(table) : table)}
          where ${of}${ruleOf(way, searched, kind, isNarrow)} limit ${mostPerKind}`;
      };
      const used = parameterNames.filter((name) => new RegExp(`\\$${name}\\b`).test(sqlFor(only ?? 'postgres')));
      const one = statement<Row>()({
        sql: ({ kind }) => sqlFor(kind),
        given: Object.fromEntries(used.map((name) => [name, 'text' as const])),
        ...(only && { only }),
        ...(isSmall && way === 'text' && !isNarrow && { batch: {} }),
      });
      return [keyOf(way, isNarrow, isWithin), one as (database: Database) => Statement<Given, Row>] as const;
    }),
  );
  return new Map(declared);
}

/**
 * Declares a search of one kind, which finds some of the rows that contain a text. When there are more, they include those
 * with exactly this name.
 */
export function declareSearch<Row extends object>(
  searched: SearchedKind,
): (database: Database) => (wanted: SearchRequest) => Promise<Row[]> {
  const statements = declareStatements<Row>(searched);
  return (database) => searching(database, searched, statements);
}

function searching<Row extends object>(
  database: Database,
  searched: SearchedKind,
  statements: SearchStatements<Row>,
): (wanted: SearchRequest) => Promise<Row[]> {
  const { kind } = database;
  const { table, texts, isSmall, isOnlyInFirst } = searched;
  /** On PostgreSQL: whether a text is so frequent that a scan finds it, and how long this is assumed. */
  const believed = new Map<string, { isFrequent: boolean; until: number }>();

  function find(way: Way, isNarrow: boolean, given: Given): Promise<Row[]> {
    return statements.get(keyOf(way, isNarrow, given.organizations !== ''))!(database).all(given);
  }

  function believe(text: string, isFrequent: boolean): void {
    if (believed.size >= mostBelieved) believed.clear();
    believed.set(text, { isFrequent, until: performance.now() + believedMs });
  }

  /**
   * PostgreSQL reads the whole posting list of a word before the first row; only a try shows whether a scan is faster.
   */
  async function byText(isNarrow: boolean, given: Given): Promise<Row[]> {
    if (kind === 'sqlite' || isSmall) return find('text', isNarrow, given);
    const text = `${given.pattern}\n${given.organizations}\n${given.applications}`;
    const known = believed.get(text);
    const isBelieved = known !== undefined && known.until > performance.now();
    if (isBelieved && known.isFrequent) {
      const first = await find('inOrder', isNarrow, given);
      if (first.length === mostPerKind) return first;
      believe(text, false);
    }
    const rare = isOnlyInFirst?.(given.name)
      ? await rarestTrigrams(database)[table as 'device'](trigrams(given.name))
      : [];
    const some = await find(rareWays[rare.length]!, isNarrow, { ...given, ...partsOf(rare) });
    if (some.length === mostPerKind && !isBelieved) believe(text, true);
    return some;
  }

  /** Each number of tags needs its own statement. */
  async function byTextOrTags(
    search: string,
    { organizations, applications }: Pick<Given, 'organizations' | 'applications'>,
  ): Promise<Row[]> {
    const match = await holdsTextOrTags(database, table as 'gateway' | 'device', texts, search);
    const of = organizations === '' ? 'true' : withinOrganizations(searched, kind, match.isNarrow);
    const within = sqlWith<boolean>(of, { organizations, applications });
    const { rows } = await sql<Row>`${sql.raw(searched.select(table))}
      where ${within} and ${match.rule} limit ${sql.lit(mostPerKind)}`.execute(database.query);
    return rows;
  }

  async function some({ search }: SearchRequest, given: Omit<Given, keyof Sought>): Promise<Row[]> {
    if ((table === 'gateway' || table === 'device') && tagsIn(search).length > 0) return byTextOrTags(search, given);
    const { isNarrow, ...sought } = await seek(database, table, search);
    return byText(isNarrow, { ...sought, ...given });
  }

  return async (wanted) => {
    const { search: name, organizationIDs, within } = wanted;
    const given = {
      name,
      organizations: organizationIDs ? JSON.stringify(organizationIDs) : '',
      applications: JSON.stringify(within?.applicationIDs ?? []),
      ...partsOf([]),
    };
    const found = await some(wanted, given);
    if (found.length < mostPerKind) return found;
    const exact = await find('name', false, { ...given, pattern: '', found: '' });
    if (exact.length === 0) return found;
    const exactKeys = new Set(exact.map((row) => JSON.stringify(row)));
    return [...exact, ...found.filter((row) => !exactKeys.has(JSON.stringify(row)))];
  };
}

const partsOf = ([rare = '', second = '', third = '']: readonly string[]) => ({ rare, second, third });

/** The rows that a statement reads when it need not read the whole table. */
const firstRows = (table: Searched) => `(select * from ${table} limit ${readInOrder}) as ${table}`;

/** Whether a number is in a JSON list: one parameter, whatever the length. */
export const isIn = (kind: DatabaseKind, column: string, list: string): string =>
  kind === 'sqlite'
    ? `${column} in (select value from json_each(${list}))`
    : `${column} in (select value::bigint from jsonb_array_elements_text(${list}::jsonb))`;
