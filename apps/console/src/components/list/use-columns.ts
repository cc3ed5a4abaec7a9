import type { Read } from '../../api/queries.ts';
import { useChoices } from '../../api/use-choices.ts';
import type { Column } from './cells.tsx';
import type { ListPage } from './use-list-page.ts';

/** Columns that users add to a list. */
export interface OptionalColumns<Row, Field extends string = string> {
  /** The list that remembers them: "devices". */
  list: string;
  columns: readonly (Column<Row, Field> & { id: string })[];
  /** The tags of a row, for columns of one tag each. */
  tagsOf: (row: Row) => Readonly<Record<string, string>> | undefined;
}

const tagPrefix = 'tag.';
const storageKey = (list: string) => `columns.${list}`;

/** The optional columns that this browser shows, unless the address names others. */
function rememberedColumns(list: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey(list)) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

const rememberColumns = (list: string, columns: readonly string[]) =>
  localStorage.setItem(storageKey(list), JSON.stringify(columns));

/** A list has at most this many optional columns. */
export const mostColumns = 20;

function columnOf<Row, Field extends string>(
  { columns, tagsOf }: OptionalColumns<Row, Field>,
  id: string,
): Column<Row, Field> | undefined {
  if (!id.startsWith(tagPrefix) || id === tagPrefix) return columns.find((one) => one.id === id);
  const key = id.slice(tagPrefix.length);
  return { id, header: key, include: 'tags', card: 'folded', cell: (row) => tagsOf(row)?.[key] ?? '' };
}

const idsIn = (optional: { list: string } | undefined, page: Pick<ListPage, 'columns'>) =>
  optional ? (page.columns ?? rememberedColumns(optional.list)).slice(0, mostColumns) : [];

export interface ChosenColumns<Row, Field extends string> {
  /** The columns of the list followed by the chosen ones. */
  columns: Column<Row, Field>[];
  /** The IDs of the chosen ones. */
  chosen: readonly string[];
  /** What the request must include for them. */
  include: string[];
  choose: (ids: readonly string[]) => void;
}

/** The columns of a list and those that its user has added, stored in the address and remembered by the browser. */
export function useColumns<Row, Field extends string>(
  declared: Column<Row, Field>[],
  optional: OptionalColumns<Row, Field> | undefined,
  page: ListPage,
): ChosenColumns<Row, Field> {
  const ids = idsIn(optional, page);
  const added = optional ? ids.flatMap((id) => columnOf(optional, id) ?? []) : [];
  return {
    columns: [...declared, ...added],
    chosen: ids,
    include: includesOf(added),
    choose: (next) => {
      if (optional) rememberColumns(optional.list, next);
      page.set({ columns: next });
    },
  };
}

const includesOf = (columns: readonly Column<never>[]) => [...new Set(columns.flatMap(({ include }) => include ?? []))];

/** What the first request of a list must include for the columns that this browser remembers. */
export const rememberedIncludes = <Row, Field extends string>(optional: OptionalColumns<Row, Field>): string[] =>
  includesOf(rememberedColumns(optional.list).flatMap((id) => columnOf(optional, id) ?? []));

/** Without the columns that the server cannot fill; until it has described the operation, all of them. */
export function useOfferedColumns<Row, Field extends string>(
  read: Read<unknown>,
  columns: Column<Row, Field>[],
  enabled: boolean,
): Column<Row, Field>[] {
  const needs = columns.some(({ include }) => include !== undefined);
  const included = useChoices(read, 'include', { enabled: enabled && needs });
  if (!needs || included === undefined) return columns;
  return columns.filter(({ include }) => include === undefined || included.includes(include));
}
