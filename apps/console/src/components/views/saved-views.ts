import type { View } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { prefetch } from '../../api/prefetch.ts';
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

const freshMs = 60_000;
const none: readonly View[] = [];
const noViews: Read<{ result: readonly View[] }> = { queryKey: ['no views'], queryFn: async () => ({ result: none }) };

const readOf = (of: ViewsOf | undefined) => ({ ...(of ? query('view', 'list', of) : noViews), staleTime: freshMs });

/** Reads the views of a list before it is shown. */
export const prefetchViews = (of: ViewsOf): Promise<void> => prefetch(readOf(of));

/** The views that the user has saved. A list that is opened without parameters shows its start view, if it has one. */
export function useSavedViews(of: ViewsOf | undefined): SavedViews {
  const address: Address = useSearch({ strict: false });
  const navigate = useNavigate();
  const { data, isPending } = useQuery({ ...readOf(of), enabled: of !== undefined });
  const views = data?.result ?? none;
  const start = views.find(({ isStart }) => isStart);
  const isBare = of !== undefined && Object.values(address).every((value) => value === undefined);
  // A list that was opened with a filter shows all rows without it.
  const [canStart] = useState(isBare);
  const open = (view: View | undefined, replace = false) =>
    void navigate({ to: '.', replace, search: view ? addressOf(view) : start ? { view: noView } : {} });
  useEffect(() => {
    if (canStart && isBare && start) open(start, true);
  });
  return {
    views,
    current: views.find(({ id }) => id === address.view),
    isOpening: canStart && isBare && (isPending || start !== undefined),
    open,
  };
}
