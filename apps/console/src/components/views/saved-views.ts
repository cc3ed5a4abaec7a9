import type { ListView } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { query } from '../../api/queries.ts';
import { searchParameters } from '../../search-parameters.ts';

/** The list whose views are offered, and its organization; '0' for all organizations. */
export type ViewsOf = Pick<ListView, 'list' | 'organizationID'>;

type Address = Record<string, string | undefined>;

/** The value of `?view=` that shows the list without a view, where another one opens it. */
const noView = 'none';

/** Where in the list the user is: not a part of a view. */
const ownOfVisit = ['view', 'page', 'size'];

/** The part of an address that a view stores, in one order: what to search, filter, sort and show. */
export function viewQueryOf(address: Address, columns: readonly string[] = []): string {
  const stored = Object.entries({ ...address, column: address['column'] ?? columns.join('\0') })
    .filter(([name]) => !ownOfVisit.includes(name))
    .sort(([one], [other]) => one.localeCompare(other));
  return searchParameters.stringifySearch(Object.fromEntries(stored)).replace(/^\?/, '');
}

const addressOf = ({ id, query: stored }: ListView): Address => ({ ...searchParameters.parseSearch(stored), view: id });

export interface SavedViews {
  views: readonly ListView[];
  /** The view of the address. */
  current: ListView | undefined;
  /** The start view is about to replace an address without parameters. */
  isOpening: boolean;
  /** Shows a view, or with undefined the whole list. */
  open: (view: ListView | undefined) => void;
}

const none: readonly ListView[] = [];

/** The views that the user has saved. An address without parameters shows the start view, if there is one. */
export function useSavedViews(of: ViewsOf | undefined): SavedViews {
  const address: Address = useSearch({ strict: false });
  const navigate = useNavigate();
  const { data, isPending } = useQuery({
    ...query('view', 'list', of ?? { list: 'DEVICES', organizationID: '0' }),
    enabled: of !== undefined,
    staleTime: 60_000,
  });
  const views = data?.result ?? none;
  const start = views.find(({ isStart }) => isStart);
  const isBare = of !== undefined && Object.values(address).every((value) => value === undefined);
  const open = (view: ListView | undefined, replace = false) =>
    void navigate({ to: '.', replace, search: view ? addressOf(view) : start ? { view: noView } : {} });
  useEffect(() => {
    if (isBare && start) open(start, true);
  });
  return {
    views,
    current: views.find(({ id }) => id === address['view']),
    isOpening: isBare && (isPending || start !== undefined),
    open,
  };
}
