import {
  type Filter,
  type FilterField,
  type FilterFields,
  formatFilter,
  type ListCount,
  parseFilter,
} from '@hilltop/contract/filters';
import { useQuery } from '@tanstack/react-query';
import type { Read } from '../../api/queries.ts';

type ObjectsOf = Read<{ readonly result: readonly { readonly id: string; readonly name: string }[] }>;

/** How a list can be filtered. */
export interface ListFilters {
  /** What is filtered, in the plural: "devices". */
  noun: string;
  /** The fields that the contract declares. */
  fields: FilterFields;
  /** The objects that a field can name by their IDs. */
  objects: { readonly [resource in NonNullable<FilterField['resource']>]?: ObjectsOf };
  /** The names of tags in use. */
  tagKeys: Read<readonly string[]>;
  /** Buttons with counts above the rows. */
  counts: ListCounts;
}

export interface ListCounts {
  /** The counts among the rows that match the search and the filters. */
  read: (search: string, filter: string[]) => Read<Readonly<Record<string, number>>>;
  /** The counted kinds of rows in their order, each with its filter. The total has none. */
  buttons: readonly CountButton[];
}

export interface CountButton {
  /** The name of the count. */
  name: string;
  word: string;
  filter?: string;
  isRare?: boolean;
}

/** The buttons of a table of counts, after one for all rows. */
export const countButtons = (counts: Readonly<Record<string, ListCount>>): CountButton[] => [
  { name: 'all', word: 'All' },
  ...Object.entries(counts).map(([name, { label, filter, isRare = false }]) => ({ name, word: label, filter, isRare })),
];

/** A filter of the address: its parts, or why it is not one. */
export type ReadFilter = KnownFilter | { problem: string };

export interface KnownFilter {
  field: FilterField;
  filter: Filter;
}

export function readFilter(fields: FilterFields, text: string): ReadFilter {
  const parsed = parseFilter(fields, text);
  if ('problem' in parsed) return parsed;
  return { field: fields[parsed.filter.field]!, filter: parsed.filter };
}

export const isKnownFilter = (fields: FilterFields, text: string): boolean => !('problem' in parseFilter(fields, text));

/** The filters of the buttons with counts: at most one of them is active. */
export const countFilters = ({ buttons }: ListCounts): string[] => buttons.flatMap(({ filter }) => filter ?? []);

/** The filters with another one in the place of `replaced`, or at the end. Each occurs once. */
export function withFilter(filters: readonly string[], filter: Filter, replaced?: string): string[] {
  const text = formatFilter(filter);
  const next = filters.includes(replaced ?? '')
    ? filters.map((one) => (one === replaced ? text : one))
    : [...filters, text];
  return [...new Set(next)];
}

const none: ObjectsOf = { queryKey: ['no objects'], queryFn: () => Promise.resolve({ result: [] }) };

/** How long the names of objects are not fetched again. */
const namesMs = 60_000;

/** The objects that a field can name. */
export const useObjects = ({ objects }: ListFilters, { resource }: FilterField) =>
  useQuery({ ...((resource && objects[resource]) ?? none), enabled: resource !== undefined, staleTime: namesMs });
