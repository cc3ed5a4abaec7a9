/** Filters of lists: `<field>:<operator>:<value>`, such as `state:is:inactive` or `tag.site:is:north|south`. */
import { isCalendarDay } from '@hilltop/protobuf/calendar-day';
import type { Facts, Field } from './wire.ts';
import { list, text } from './wire.ts';

/** Every operator and what it says. */
export const filterOperators = {
  is: 'is',
  not: 'is not',
  has: 'contains',
  lt: 'below',
  gt: 'above',
  before: 'before',
  after: 'after',
  set: 'is set',
  unset: 'is not set',
} as const;
export type FilterOperator = keyof typeof filterOperators;

export type FilterKind = 'choice' | 'uuid' | 'id' | 'text' | 'number' | 'time' | 'presence';

/** The operators of each kind of value. Only fields that may have no value have `set` and `unset`. */
const operatorsOfKind: Readonly<Record<FilterKind, readonly FilterOperator[]>> = {
  choice: ['is', 'not'],
  uuid: ['is', 'not'],
  id: ['is', 'not'],
  text: ['is', 'not', 'has'],
  number: ['is', 'not', 'lt', 'gt'],
  time: ['before', 'after'],
  presence: [],
};

export interface FilterField {
  readonly label: string;
  readonly help?: string;
  readonly unit?: string;
  readonly kind: FilterKind;
  /** Of a choice: its values with their labels. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Of an identifier: the resource it belongs to. */
  readonly resource?: 'application' | 'deviceProfile' | 'gatewayProfile' | 'networkServer' | 'serviceProfile';
  /** The name of a value follows after a dot: `tag.site`. */
  readonly isKeyed?: true;
  /** Some rows have no value. */
  readonly isOptional?: true;
}

/** The fields by which a list can be filtered. */
export type FilterFields = Readonly<Record<string, FilterField>>;

/** One filter. Values are alternatives; `set` and `unset` have none. */
export interface Filter<Name extends string = string> {
  readonly field: Name;
  /** The name after the dot of a keyed field; empty for others. */
  readonly key: string;
  readonly operator: FilterOperator;
  readonly values: readonly string[];
}

export const mostFilters = 20;
const mostValues = 50;
const longestFilter = 4096;
const longestKey = 128;

export function operatorsOf({ kind, isOptional }: FilterField): readonly FilterOperator[] {
  return isOptional ? [...operatorsOfKind[kind], 'set', 'unset'] : operatorsOfKind[kind];
}

const nameOf = ([name, { isKeyed }]: [string, FilterField]) => (isKeyed ? `${name}.<name>` : name);
const namesOf = (fields: FilterFields) => Object.entries(fields).map(nameOf).join(', ');

/** The member of a request that filters its rows. */
export function filterTexts(fields: FilterFields, facts: Facts = {}): Field<string[]> {
  return list(text({ maxLength: longestFilter }), {
    label: 'Filters',
    help: `Rows that match all of them: <field>:<operator>:<value>. Fields: ${namesOf(fields)}.`,
    maxEntries: mostFilters,
    ...facts,
  });
}

class FilterProblem extends Error {}

/** The parts of a text between unescaped separators, at most `most`, still escaped. */
function split(text: string, separator: string, most = Number.POSITIVE_INFINITY): string[] {
  const parts = [''];
  for (let at = 0; at < text.length; at++) {
    const one = text[at]!;
    if (one === '\\') {
      if (at + 1 === text.length)
        throw new FilterProblem('The filter ends with a backslash. Write \\\\ for a backslash.');
      parts[parts.length - 1] += one + text[++at]!;
    } else if (one === separator && parts.length < most) parts.push('');
    else parts[parts.length - 1] += one;
  }
  return parts;
}

const unescaped = (text: string) => text.replaceAll(/\\([\s\S])/g, '$1');

const quoted = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text);

/** Reads one filter. A problem is a sentence for its writer. */
export function parseFilter<Fields extends FilterFields>(
  fields: Fields,
  given: string,
): { filter: Filter<keyof Fields & string> } | { problem: string } {
  try {
    return { filter: read(fields, given) as Filter<keyof Fields & string> };
  } catch (error) {
    if (error instanceof FilterProblem) return { problem: error.message };
    throw error;
  }
}

function read(fields: FilterFields, given: string): Filter {
  const [name = '', operatorText = '', rest] = split(given, ':', 3);
  const dot = name.indexOf('.');
  const field = dot < 0 ? name : name.slice(0, dot);
  const key = dot < 0 ? '' : unescaped(name.slice(dot + 1));
  const declared = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (!declared || (dot >= 0 && !declared.isKeyed))
    throw new FilterProblem(`There is no filter field ${quoted(name)}. The fields are ${namesOf(fields)}.`);
  if (declared.isKeyed && (key === '' || Array.from(key).length > longestKey))
    throw new FilterProblem(`The field ${field} needs a name of at most ${longestKey} characters: ${field}.<name>.`);
  const operators = operatorsOf(declared);
  const operator = operators.find((one) => one === operatorText);
  if (!operator)
    throw new FilterProblem(
      `There is no operator ${quoted(operatorText)} for ${field}. The operators are ${operators.join(', ')}.`,
    );
  return { field, key, operator, values: valuesOf(field, declared, operator, rest) };
}

function valuesOf(field: string, declared: FilterField, operator: FilterOperator, rest: string | undefined): string[] {
  if (operator === 'set' || operator === 'unset') {
    if (rest) throw new FilterProblem(`${field}:${operator} has no value.`);
    return [];
  }
  if (rest === undefined) throw new FilterProblem(`The value is missing: ${field}:${operator}:<value>.`);
  const values = split(rest, '|').map(unescaped);
  if (values.length > mostValues) throw new FilterProblem(`A filter must have at most ${mostValues} values.`);
  for (const value of values) {
    const expected = expectedOf(declared, value);
    if (expected) throw new FilterProblem(`${quoted(value)} is not a value of ${field}. ${expected}`);
  }
  return values;
}

const numberPattern = /^-?\d{1,12}(\.\d{1,9})?$/;
const agePattern = /^(\d{1,5})([smhd])$/;
const timePattern = /^(19[7-9]\d|2\d{3})-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What must be given instead; undefined for a correct value. */
function expectedOf({ kind, choices = {} }: FilterField, value: string): string | undefined {
  if (kind === 'choice')
    return Object.hasOwn(choices, value) ? undefined : `Must be one of ${Object.keys(choices).join(', ')}.`;
  if (kind === 'uuid') return uuidPattern.test(value) ? undefined : 'Must be a UUID in lower case.';
  if (kind === 'id') return /^[1-9]\d{0,14}$/.test(value) ? undefined : 'Must be an ID: a whole number.';
  if (kind === 'number') return numberPattern.test(value) ? undefined : 'Must be a number.';
  if (kind !== 'time') return undefined;
  const isTime = agePattern.test(value) || (timePattern.test(value) && isMoment(value));
  return isTime ? undefined : 'Must be a time such as 2026-11-27T06:00:00Z, or an age such as 30m, 24h or 7d.';
}

const isMoment = (time: string) => isCalendarDay(time.slice(0, 10)) && !Number.isNaN(Date.parse(time));

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** The moment that a value of a time stands for: an age is subtracted from `nowMs`. */
export function filterMoment(value: string, nowMs: number): number {
  const [, count, unit] = agePattern.exec(value) ?? [];
  return unit === undefined ? Date.parse(value) : nowMs - Number(count) * unitMs[unit as keyof typeof unitMs];
}

/** The text of a filter, which `parseFilter` reads. */
export function formatFilter({
  field,
  key = '',
  operator,
  values = [],
}: Partial<Filter> & Pick<Filter, 'field' | 'operator'>) {
  const name = key === '' ? field : `${field}.${key.replaceAll(/[\\:]/g, '\\$&')}`;
  if (operator === 'set' || operator === 'unset') return `${name}:${operator}`;
  return `${name}:${operator}:${values.map((value) => value.replaceAll(/[\\|]/g, '\\$&')).join('|')}`;
}
