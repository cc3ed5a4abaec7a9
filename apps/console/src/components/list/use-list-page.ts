import type { InputOf, Operations, OrderBy } from '@hilltop/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';

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
  Extract<keyof InputOf<Operations[R]['list']>, 'limit' | 'offset' | 'search' | 'orderBy'>
> & { filter: string };

/** The page of a URL without page parameters. */
export const firstPage = () => ({ limit: rememberedSize(), offset: 0, search: '', orderBy: '', filter: '' }) as const;

export interface ListPage<Field extends string = string, Filter extends string = string> {
  /** Starts at 1. */
  page: number;
  size: number;
  search: string;
  /** The request for this page. */
  limit: number;
  offset: number;
  /** Empty for the default order. */
  orderBy: OrderBy<Field>;
  /** The active filter; empty for none. */
  filter: Filter;
  set(change: { page?: number; size?: number; search?: string; orderBy?: string; filter?: string }): void;
  /** Shows another page and replaces the history entry. */
  goTo(page: number): void;
}

function isOrder<Field extends string>(text: string, fields: readonly Field[]): text is OrderBy<Field> {
  return fields.some((field) => text === field || text === `-${field}`);
}

/**
 * The page of a list, stored in the URL (`?page=2&size=50&search=north&sort=-lastSeenAt&filter=state:is:inactive`); the size is
 * remembered for all lists. `fields` are the sortable fields, `filters` the known filters; other values in the URL are
 * ignored.
 */
export function useListPage<Field extends string = never, Filter extends string = never>(
  fields: readonly Field[] = [],
  filters: readonly Filter[] = [],
): ListPage<Field, Filter | ''> {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const page = Math.max(1, Math.trunc(Number(address.page)) || 1);
  const asked = Number(address.size);
  const size = pageSizes.includes(asked) ? asked : rememberedSize();
  const sort = address.sort ?? '';
  const orderBy = isOrder(sort, fields) ? sort : '';
  const filter = filters.find((one) => one === address.filter) ?? '';
  type Change = Parameters<ListPage['set']>[0];

  function turn(change: Change, replace: boolean) {
    if (change.size !== undefined) localStorage.setItem(sizeKey, String(change.size));
    const next = { page, size, search: address.search ?? '', orderBy, filter: filter as string, ...change };
    if (change.page === undefined) next.page = 1;
    void navigate({
      to: '.',
      replace,
      search: {
        ...address,
        page: next.page > 1 ? String(next.page) : undefined,
        size: change.size !== undefined || address.size !== undefined ? String(next.size) : undefined,
        search: next.search || undefined,
        sort: next.orderBy || undefined,
        filter: next.filter || undefined,
      },
    });
  }

  return {
    page,
    size,
    search: address.search ?? '',
    orderBy,
    filter,
    limit: size,
    offset: (page - 1) * size,
    set: (change) => turn(change, change.search !== undefined),
    goTo: (one) => turn({ page: one }, true),
  };
}
