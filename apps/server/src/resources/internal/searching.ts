import { type AliasedRawBuilder, type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Database, DatabaseKind } from '../../database/database.ts';
import { prepare } from '../../database/prepared.ts';
import { rarestTrigrams } from '../../database/rarest-trigrams.ts';
import {
  beside,
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
import type { Tables } from '../../database/tables.ts';

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
}

/** The organizations of the caller, in a statement about searched rows. */
export interface VisibleOrganizations {
  /** The column of the organization, written so that no index is used when the text index has found few rows. */
  column: (name: string) => RawBuilder<number>;
  isAmong: (column: RawBuilder<number>) => RawBuilder<boolean>;
}

/** A searched table and its result rows. */
interface SearchedKind<TB extends keyof Tables, Row> {
  table: Searched;
  /** Lower-case expressions that may contain the text. */
  texts: readonly RawBuilder<string>[];
  /** For tables with few rows: searches at the same time share one scan. */
  isSmall?: true;
  /** Whether only the first of `texts` can contain the text, and the trigram index covers it. */
  isOnlyInFirst?: (search: string) => boolean;
  /** `from` is the table, or a subquery with its name. */
  rows: (
    query: Kysely<Tables>,
    of: VisibleOrganizations | undefined,
    from: From,
  ) => SelectQueryBuilder<Tables, TB, Row>;
}

export type From = Searched | AliasedRawBuilder<unknown, Searched>;

/** By the text, by some of its trigrams in addition, by a scan of the first rows, or by name. */
type Way = 'text' | 'oneRare' | 'twoRare' | 'threeRare' | 'inOrder' | 'name';
type Given = Sought & { name: string; organizations: string; rare: string; second: string; third: string };
type PreparedSearch<Row> = { all(given: Given): Promise<Row[]> };
const rareWays = ['text', 'oneRare', 'twoRare', 'threeRare'] as const;

/** Finds some of the rows that contain a text. When there are more, they include those with exactly this name. */
export function searching<TB extends keyof Tables, Row extends object>(
  database: Database,
  searched: SearchedKind<TB, Row>,
): (wanted: SearchRequest) => Promise<Row[]> {
  const { kind } = database;
  const { table, texts, isSmall, isOnlyInFirst, rows } = searched;
  const made = new Map<string, PreparedSearch<Row>>();
  /** On PostgreSQL: whether a text is so frequent that a scan finds it, and how long this is assumed. */
  const believed = new Map<string, { isFrequent: boolean; until: number }>();

  function find(way: Way, isNarrow: boolean, given: Given): Promise<Row[]> {
    const isWithin = given.organizations !== '';
    const key = `${way} ${isNarrow} ${isWithin}`;
    const known = made.get(key) ?? searchStatement(database, searched, { way, isNarrow, isWithin });
    made.set(key, known);
    return known.all(given);
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
    const text = `${given.pattern}\n${given.organizations}`;
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
  async function byTextOrTags(search: string, organizations: string): Promise<Row[]> {
    const match = await holdsTextOrTags(database, table as 'gateway' | 'device', texts, search);
    const of = organizations === '' ? undefined : ofThese(kind, match.isNarrow, organizations);
    return rows(database.query, of, table).where(match.rule).limit(mostPerKind).execute();
  }

  async function some({ search }: SearchRequest, given: Omit<Given, keyof Sought>): Promise<Row[]> {
    if ((table === 'gateway' || table === 'device') && tagsIn(search).length > 0)
      return byTextOrTags(search, given.organizations);
    const { isNarrow, ...sought } = await seek(database, table, search);
    return byText(isNarrow, { ...sought, ...given });
  }

  return async (wanted) => {
    const { search: name, organizationIDs } = wanted;
    const given = { name, organizations: organizationIDs ? JSON.stringify(organizationIDs) : '', ...partsOf([]) };
    const found = await some(wanted, given);
    if (found.length < mostPerKind) return found;
    const exact = await find('name', false, { ...given, pattern: '', found: '' });
    if (exact.length === 0) return found;
    const exactKeys = new Set(exact.map((row) => JSON.stringify(row)));
    return [...exact, ...found.filter((row) => !exactKeys.has(JSON.stringify(row)))];
  };
}

/** A statement that finds rows in one way: of the given organizations when `isWithin`. */
function searchStatement<TB extends keyof Tables, Row extends object>(
  database: Database,
  { table, texts, isSmall, rows }: SearchedKind<TB, Row>,
  { way, isNarrow, isWithin }: { way: Way; isNarrow: boolean; isWithin: boolean },
): PreparedSearch<Row> {
  const name = `${table}.name`;
  const ruleOf = ($: Given): RawBuilder<boolean> => {
    if (way === 'name') return isNamed(database, name, $.name);
    const rare = [$.rare, $.second, $.third].slice(0, Math.max(rareWays.indexOf(way as 'text'), 0));
    return rare.length === 0 ? isSought(table, texts, $, isNarrow) : isSoughtByRare(texts[0]!, $, rare);
  };
  return prepare<Given>()(
    database,
    (query, $) => {
      const of = isWithin ? ofThese(database.kind, isNarrow, $.organizations) : undefined;
      return rows(query, of, way === 'inOrder' ? firstRows(table) : table)
        .where(ruleOf($))
        .limit(sql.lit(mostPerKind));
    },
    isSmall && way === 'text' ? { isBatched: true } : undefined,
  );
}

const partsOf = ([rare = '', second = '', third = '']: readonly string[]) => ({ rare, second, third });

/** The rows that a statement reads when it need not read the whole table. */
const firstRows = (table: Searched) =>
  sql`(select * from ${sql.table(table)} limit ${sql.lit(readInOrder)})`.as<Searched>(table);

const ofThese = (kind: DatabaseKind, isNarrow: boolean, organizations: string): VisibleOrganizations => ({
  column: (name) => beside({ isNarrow }, name),
  isAmong: (column) => isIn(kind, column, organizations),
});

/** Whether a number is in a JSON list: one parameter, whatever the length. */
export const isIn = (kind: DatabaseKind, column: RawBuilder<number>, list: string): RawBuilder<boolean> =>
  kind === 'sqlite'
    ? sql`${column} in (select value from json_each(${list}))`
    : sql`${column} in (select value::bigint from jsonb_array_elements_text(${list}::jsonb))`;
