import {
  type ConditionSubject,
  type Filter,
  type FilterFields,
  filterMoment,
  invalidFields,
  parseFilter,
} from '@hilltop/contract';
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from '../database/database.ts';
import { isInList } from '../database/in-list.ts';
import { type TagTest, tagMatches } from '../database/tags.ts';

/** Filters of lists as conditions of statements. */

/** Throws code 3 that says what each wrong filter may contain. */
export function readFilters<Fields extends FilterFields>(
  fields: Fields,
  texts: readonly string[],
): Filter<keyof Fields & string>[] {
  const read = texts.map((text) => (text === '' ? undefined : parseFilter(fields, text)));
  const problems = read.flatMap((one, index) =>
    one && 'problem' in one ? [{ field: `filter[${index}]`, description: one.problem }] : [],
  );
  if (problems.length > 0) throw invalidFields(problems);
  return read.flatMap((one) => (one && 'filter' in one ? [one.filter] : []));
}

/** The condition of a filter by one field. `not` and `unset` are the opposite of `is` and `set`, which it must know. */
export type FilterRule = (filter: Filter) => RawBuilder<boolean>;

const opposites: Readonly<Record<string, 'is' | 'set'>> = { not: 'is', unset: 'set' };

/** The conditions of these filters, all of which must hold. Rows without a value match only `not` and `unset`. */
export function conditionsOf<Name extends string>(
  filters: readonly Filter<Name>[],
  rules: Readonly<Record<Name, FilterRule>>,
): RawBuilder<boolean>[] {
  return filters.map((filter) => {
    const rule = rules[filter.field];
    const opposite = opposites[filter.operator];
    if (!opposite) return rule(filter);
    return sql<boolean>`not coalesce(${rule({ ...filter, operator: opposite })}, false)`;
  });
}

const isSet = (value: RawBuilder<unknown>) => sql<boolean>`${value} is not null`;

export function byID(kind: DatabaseKind, column: string, read: (text: string) => string | number): FilterRule {
  return ({ operator, values }) =>
    operator === 'set' ? isSet(sql.ref(column)) : (isInList(kind, column, values.map(read)) as RawBuilder<boolean>);
}

/** The numbers are literals, so that SQLite finds the partial index of low batteries. */
export function byNumber(value: RawBuilder<unknown>): FilterRule {
  return ({ operator, values }) => {
    const numbers = values.map(Number);
    if (operator === 'set') return isSet(value);
    if (operator === 'lt') return sql`(${value}) < ${sql.lit(Math.max(...numbers))}`;
    if (operator === 'gt') return sql`(${value}) > ${sql.lit(Math.min(...numbers))}`;
    return sql`(${value}) in (${sql.join(numbers.map((one) => sql.lit(one)))})`;
  };
}

export function byTime(column: string, now: Date): FilterRule {
  return ({ operator, values }) => {
    const moments = values.map((value) => filterMoment(value, now.getTime()));
    if (operator === 'set') return isSet(sql.ref(column));
    if (operator === 'before') return sql`${sql.ref(column)} < ${new Date(Math.max(...moments))}`;
    return sql`${sql.ref(column)} >= ${new Date(Math.min(...moments))}`;
  };
}

export function byTag(kind: DatabaseKind, column: string): FilterRule {
  return ({ operator, key, values }) =>
    tagMatches(kind, column, { key, operator: operator as TagTest['operator'], values });
}

/** One of the named states. */
export function byState(states: Readonly<Record<string, () => RawBuilder<boolean>>>): FilterRule {
  return ({ values }) =>
    sql`(${sql.join(
      values.map((value) => states[value]!()),
      sql` or `,
    )})`;
}

/** Subjects for which one of the named conditions is true. */
export function byCondition(kind: DatabaseKind, subject: ConditionSubject, column: string): FilterRule {
  return ({ values }) =>
    sql`${sql.ref(column)} in (
      select subject_id from condition where ${isInList(kind, 'condition.condition', values)} and subject_kind = ${subject}
    )`;
}
