import type { View } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { query, type Read } from '../../api/queries.ts';
import { repeated, searchParameters } from '../../search-parameters.ts';

/** The list whose views are offered, and its organization; '0' for all organizations. */
export type ViewsOf = Pick<View, 'list' | 'organizationID'>;

type Address = Record<string, string | undefined>;

/** The value of `?view=` that shows the list without a view, where another one opens it. */
const noView = 'none';

/** Where in the list the user is: not a part of a view. */
const ownOfVisit = ['view', 'page', 'size'];

/** The part of an address that a view stores, in one order: what to search, filter, sort and show. */
export function viewQueryOf(address: Address, columns: readonly string[] = []): string {
  const stored = Object.entries({ ...address, column: address.column ?? repeated(columns) })
    .filter(([name]) => !ownOfVisit.includes(name))
    .sort(([one], [other]) => one.localeCompare(other));
  return searchParameters.stringifySearch(Object.fromEntries(stored)).replace(/^\?/, '');
}

/** What an update of a view has. */
export const contentOf = ({ id, name, query: stored, isStart }: View) => ({ id, name, query: stored, isStart });

const addressOf = ({ id, query: stored }: View): Address => ({ ...searchParameters.parseSearch(stored), view: id });

export interface SavedViews {
  views: readonly View[];
  /** The view of the address. */
  current: View | undefined;
  /** The start view is about to replace an address without parameters. */
  isOpening: boolean;
  /** Shows a view, or with undefined the whole list. */
  open: (view: View | undefined) => void;
}

const none: readonly View[] = [];
const noViews: Read<{ result: readonly View[] }> = { queryKey: ['no views'], queryFn: async () => ({ result: none }) };

/** The views that the user has saved. An address without parameters shows the start view, if there is one. */
export function useSavedViews(of: ViewsOf | undefined): SavedViews {
  const address: Address = useSearch({ strict: false });
  const navigate = useNavigate();
  const { data, isPending } = useQuery({
    ...(of ? query('view', 'list', of) : noViews),
    enabled: of !== undefined,
    staleTime: 60_000,
  });
  const views = data?.result ?? none;
  const start = views.find(({ isStart }) => isStart);
  const isBare = of !== undefined && Object.values(address).every((value) => value === undefined);
  const open = (view: View | undefined, replace = false) =>
    void navigate({ to: '.', replace, search: view ? addressOf(view) : start ? { view: noView } : {} });
  useEffect(() => {
    if (isBare && start) open(start, true);
  });
  return {
    views,
    current: views.find(({ id }) => id === address.view),
    isOpening: isBare && (isPending || start !== undefined),
    open,
  };
}
