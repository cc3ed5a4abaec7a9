import type { InputOf, Operations, OrderBy } from '@hilltop/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { repeated, valuesOf } from '../../search-parameters.ts';

export const pageSizes = [10, 25, 50, 100, 200, 500];
const sizeKey = 'rowsPerPage';

function rememberedSize(): number {
  const size = Number(localStorage.getItem(sizeKey));
  return pageSizes.includes(size) ? size : 10;
}

/** The parameters of a list request, without those of its parent. */
export type PageOf<
  R extends { [K in keyof Operations]: 'list' extends keyof Operations[K] ? K : never }[keyof Operations],
> = Pick<
  InputOf<Operations[R]['list']>,
  Extract<keyof InputOf<Operations[R]['list']>, 'limit' | 'offset' | 'search' | 'orderBy' | 'filter'>
>;

/** The page of a URL without page parameters. */
export const firstPage = () =>
  ({ limit: rememberedSize(), offset: 0, search: '', orderBy: '', filter: [] as string[] }) as const;

interface Change {
  page?: number;
  size?: number;
  search?: string;
  orderBy?: string;
  filters?: readonly string[];
  columns?: readonly string[];
}

export interface ListPage<Field extends string = string> {
  /** Starts at 1. */
  page: number;
  size: number;
  search: string;
  /** The request for this page. */
  limit: number;
  offset: number;
  /** Empty for the default order. */
  orderBy: OrderBy<Field>;
  /** The filters of the URL that the list knows, all of which must hold. */
  filter: string[];
  /** All filters of the URL. */
  filters: readonly string[];
  /** The optional columns of the URL; undefined when it names none. */
  columns: readonly string[] | undefined;
  set(change: Change): void;
  /** Shows another page and replaces the history entry. */
  goTo(page: number): void;
}

function isOrder<Field extends string>(text: string, fields: readonly Field[]): text is OrderBy<Field> {
  return fields.some((field) => text === field || text === `-${field}`);
}

/**
 * The page of a list, stored in the URL: `?page=2&size=50&search=north&sort=-lastSeenAt&filter=state:is:inactive`,
 * `filter` and `column` repeated. The size is remembered for all lists. `fields` are the sortable fields; other orders,
 * and filters that are not known, are not requested.
 */
export function useListPage<Field extends string = never>(
  fields: readonly Field[] = [],
  isKnown: (filter: string) => boolean = () => false,
): ListPage<Field> {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const page = Math.max(1, Math.trunc(Number(address.page)) || 1);
  const asked = Number(address.size);
  const size = pageSizes.includes(asked) ? asked : rememberedSize();
  const sort = address.sort ?? '';
  const orderBy = isOrder(sort, fields) ? sort : '';
  const filters = valuesOf(address.filter);

  function turn({ columns, ...change }: Change, replace: boolean) {
    if (change.size !== undefined) localStorage.setItem(sizeKey, String(change.size));
    const next = { page, size, search: address.search ?? '', orderBy: orderBy as string, filters, ...change };
    if (change.page === undefined && columns === undefined) next.page = 1;
    void navigate({
      to: '.',
      replace,
      search: {
        ...address,
        page: next.page > 1 ? String(next.page) : undefined,
        size: change.size !== undefined || address.size !== undefined ? String(next.size) : undefined,
        search: next.search || undefined,
        sort: next.orderBy || undefined,
        filter: repeated(next.filters),
        column: columns === undefined ? address.column : repeated(columns),
      },
    });
  }

  return {
    page,
    size,
    search: address.search ?? '',
    orderBy,
    filter: filters.filter(isKnown),
    filters,
    columns: address.column === undefined ? undefined : valuesOf(address.column),
    limit: size,
    offset: (page - 1) * size,
    set: (change) => turn(change, change.search !== undefined || change.columns !== undefined),
    goTo: (one) => turn({ page: one }, true),
  };
}
