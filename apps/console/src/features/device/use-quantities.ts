import type { EventNote, HistoryEvent, Quantities } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { api } from '../../api/client.ts';
import { query } from '../../api/queries.ts';
import { parsedJson } from '../../components/live-log/identifiers.ts';
import type { EventItem, QuantitiesOf } from './event-kind.ts';

/** As many events as a live log shows. */
const most = 1000;
const readAtOnce = 20;
const shortestGapMs = 1000;

/** Of uplinks by streamID, the newest first; those without quantities as well. */
type Known = Readonly<Record<string, Quantities>>;

/**
 * Quantities from the codec. Streams have no notes, so the hook reads the history: once, and after later uplinks if the
 * codec returns any. An uplink that the hook has not read yet gets those of the uplink before it.
 */
export function useQuantities(devEUI: string, newest: EventItem | undefined): QuantitiesOf {
  const streamID = newest?.streamID;
  const queryKey = ['history', 'quantities', devEUI];
  const { data, dataUpdatedAt, refetch } = useQuery({
    queryKey,
    queryFn: async ({ client, signal }): Promise<Known> => {
      if (!(await api.history.list.isOffered())) return {};
      const newestOnes = query('history', 'list', { devEUI, kinds: ['up'], limit: readAtOnce });
      const { result } = await newestOnes.queryFn({ signal });
      return merge(result, client.getQueryData<Known>(queryKey) ?? {});
    },
    enabled: streamID !== undefined,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    // Values are shown without units then.
    retry: false,
  });
  const latest = Object.values(data ?? {}).find((quantities) => Object.keys(quantities).length > 0);

  const isUnread = latest !== undefined && streamID !== undefined && data?.[streamID] === undefined;
  const askedMs = useRef(0);
  useEffect(() => {
    if (!isUnread) return;
    const waitMs = Math.max(askedMs.current, dataUpdatedAt) + shortestGapMs - Date.now();
    const timer = setTimeout(() => {
      askedMs.current = Date.now();
      void refetch();
    }, waitMs);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once per uplink, also when the history does not have it
  }, [isUnread, streamID, refetch]);

  return useCallback(({ streamID: id }) => data?.[id] ?? latest, [data, latest]);
}

function merge(events: readonly HistoryEvent[], known: Known): Known {
  const read = new Map(events.map(({ streamID, noteJSON }) => [streamID, quantitiesIn(noteJSON)]));
  const older = Object.entries(known).filter(([streamID]) => !read.has(streamID));
  return Object.fromEntries([...read, ...older].slice(0, most));
}

const quantitiesIn = (noteJSON: string): Quantities => (parsedJson(noteJSON || '{}') as EventNote).quantities ?? {};
