import type { HistoryEvent, Operations, ResponseOf } from '@hilltop/contract';
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { isGone } from '../../../api/client.ts';
import { query } from '../../../api/queries.ts';
import { useKnownEvents } from '../use-last-events.tsx';
import { itemOf } from './exchanges.ts';

type Page = ResponseOf<Operations['history']['list']>;
type Asked = { devEUI: string; kinds: string[]; text: string };
type Pages = InfiniteData<Page, string>;

const pageSize = 50;
/** New rows of one call. */
const mostNew = 500;
/** With more rows, older ones are dropped and can be loaded again. */
export const mostRows = 2000;
/** Rows for which no live event exists follow an uplink within this time. */
const afterUplinkMs = 4000;
const shortestGapMs = 1000;

const list = (request: Parameters<typeof query<'history', 'list'>>[2], signal: AbortSignal) =>
  query('history', 'list', request).queryFn({ signal });

/** What a timeline shows; everything when empty. */
export interface TimelineFilter {
  readonly kinds: readonly string[];
  readonly text: string;
}

/** The rows of a device that match, the newest first; live unless they end at a time. The filter is the same object while it does not change. */
export function useTimeline(devEUI: string, until: string | undefined, filter: TimelineFilter) {
  const client = useQueryClient();
  const queryKey = useMemo(() => ['history', 'timeline', devEUI, until, filter], [devEUI, until, filter]);
  const asked = useMemo(() => ({ devEUI, kinds: [...filter.kinds], text: filter.text }), [devEUI, filter]);
  const history = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      list({ ...asked, limit: pageSize, before: pageParam, ...(until && { end: until }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ older }: Page) => older || undefined,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const { refetch, isSuccess } = history;

  const events = useKnownEvents();
  const readAtMs = useRef(0);
  useEffect(() => {
    if (until !== undefined || !isSuccess) return;
    const ending = new AbortController();
    const read = () => {
      readAtMs.current = Date.now();
      readNewer(client, { queryKey, asked, signal: ending.signal }).catch((error: unknown) => {
        if (isGone(error)) void refetch();
      });
    };
    const soon = setTimeout(read, Math.max(0, readAtMs.current + shortestGapMs - Date.now()));
    const later = setTimeout(read, afterUplinkMs);
    return () => {
      ending.abort();
      clearTimeout(soon);
      clearTimeout(later);
    };
  }, [client, queryKey, asked, until, events, isSuccess, refetch]);

  const pages = history.data?.pages;
  const items = useMemo(() => (pages ?? []).flatMap(({ result }) => result.map(itemOf)), [pages]);
  return { ...history, items, storedSince: pages?.at(-1)?.storedSince, searchedTo: searchedTo(pages?.at(-1)) };
}

/** Adds the rows after the newest known one. */
async function readNewer(
  client: ReturnType<typeof useQueryClient>,
  { queryKey, asked, signal }: { queryKey: readonly unknown[]; asked: Asked; signal: AbortSignal },
): Promise<void> {
  const newest = client.getQueryData<Pages>(queryKey)?.pages.flatMap(({ result }) => result)[0];
  const request = newest ? { ...asked, after: newest.streamID, limit: mostNew } : { ...asked, limit: pageSize };
  const { result, older, storedSince } = await list(request, signal);
  if (result.length === 0 || signal.aborted) return;
  client.setQueryData<Pages>(queryKey, (known) => known && withNewer(known, { result, older, storedSince }));
}

function withNewer(
  known: Pages,
  { result, older, storedSince }: Pick<Page, 'result' | 'older' | 'storedSince'>,
): Pages {
  const [first, ...others] = known.pages;
  if (!first) return known;
  if (first.result.length === 0) return { ...known, pages: [{ ...first, result, older, storedSince }, ...others] };
  const ids = new Set(first.result.map(({ streamID }) => streamID));
  const all = [...result.filter(({ streamID }) => !ids.has(streamID)), ...first.result];
  const pages = [{ ...first, result: all }, ...others];
  const count = pages.reduce((sum, page) => sum + page.result.length, 0);
  if (count <= mostRows) return { ...known, pages };
  const newest: HistoryEvent[] = pages.flatMap((page) => page.result).slice(0, mostRows / 2);
  return { pages: [{ ...first, result: newest, older: newest.at(-1)?.streamID ?? '' }], pageParams: [''] };
}

/** Where a search stopped before it found enough. */
const searchedTo = (page: Page | undefined) => (page?.isComplete === false ? page.searchedTo : null);
