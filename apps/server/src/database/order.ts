import type { OrderBy } from '@hilltop/contract';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { DatabaseKind } from './database.ts';
import { type Page, readPage } from './page.ts';
import { sqlWith } from './sql-with.ts';

/** A page of a list that can be sorted by these fields of its rows. */
export interface SortedPage<Field extends string> extends Page {
  orderBy: OrderBy<Field>;
}

/** How rows are compared. */
export interface Comparison {
  of: (kind: DatabaseKind) => RawBuilder<unknown>;
  /** Some rows have no value; they come last in both directions. */
  sparse?: true;
}

/** The orders of a list: the expression of each field, the default order, and the key that makes it unique. */
export interface Orders<Field extends string> {
  by: Readonly<Record<Field, Comparison>>;
  usual: Field;
  key: string;
}

/** `table.column`, or an expression of columns. */
type Value = string | RawBuilder<unknown>;
const expressionOf = (value: Value) => (typeof value === 'string' ? sql.ref(value) : value);

/** For numbers, times, booleans and identifiers. */
export function plain(value: Value): Comparison {
  return { of: () => expressionOf(value) };
}

/** Like `plain`, for values that may be missing. */
export function sparse(value: Value): Comparison {
  return { ...plain(value), sparse: true };
}

/** What `alphabetical` compares, in SQL. */
export const alphabeticalIn = (kind: DatabaseKind, text: string): string =>
  kind === 'sqlite' ? `${text} collate nocase` : `lower(${text} collate "C")`;

/** Text, ignoring the case of A to Z: a comparison that both databases have and can index. */
export function alphabetical(value: Value): Comparison {
  return { of: (kind) => sqlWith(alphabeticalIn(kind, '$value'), { value: expressionOf(value) }) };
}

/**
 * Sorts rows: `users.$call(inOrder(kind, orders, '-createdAt'))`. Equal rows follow in the default order and then by
 * key, so that two pages never share a row.
 */
export function inOrder<Field extends string>(
  kind: DatabaseKind,
  { by, usual, key }: Orders<Field>,
  orderBy: OrderBy<Field> = '',
) {
  const isDescending = orderBy.startsWith('-');
  const field = (isDescending ? orderBy.slice(1) : orderBy) as Field | '';
  const direction = isDescending ? 'desc' : 'asc';
  return <DB, TB extends keyof DB, Row>(rows: SelectQueryBuilder<DB, TB, Row>): SelectQueryBuilder<DB, TB, Row> => {
    // All columns in the same direction, so that an index can be read backwards.
    if (field === '' || field === usual)
      return rows.orderBy(by[usual].of(kind), direction).orderBy(sql.ref(key), direction);
    const { of, sparse: hasGaps } = by[field];
    return rows
      .orderBy(of(kind), (one) => {
        const directed = isDescending ? one.desc() : one.asc();
        return hasGaps ? directed.nullsLast() : directed;
      })
      .orderBy(by[usual].of(kind))
      .orderBy(sql.ref(key));
  };
}

interface Read<DB, TB extends keyof DB, Row, Item> {
  rows: SelectQueryBuilder<DB, TB, Row>;
  count: () => Promise<number>;
  toItem: (row: Row) => Item;
}

/** One page of the rows in the requested order, with the count of all matching rows. */
export function readInOrder<Field extends string, DB, TB extends keyof DB, Row, Item>(
  kind: DatabaseKind,
  orders: Orders<Field>,
  page: SortedPage<Field>,
  { rows, count, toItem }: Read<DB, TB, Row, Item>,
): Promise<{ totalCount: string; result: Item[] }> {
  return readPage(page, count, async () => {
    const sorted = rows.$call(inOrder(kind, orders, page.orderBy));
    const found = await sorted.limit(page.limit).offset(page.offset).execute();
    return (found as Row[]).map(toItem);
  });
}
