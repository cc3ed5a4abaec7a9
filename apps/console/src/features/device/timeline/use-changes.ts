import type { AuditEntry } from '@hilltop/contract';
import { auditSubject } from '@hilltop/contract/audit';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { query } from '../../../api/queries.ts';
import { useOffered } from '../../../api/use-offered.ts';
import { useIDs } from '../../../components/link/use-ids.ts';
import { useMay } from '../../../session/session.tsx';
import { itemOf, type TimelineItem } from './exchanges.ts';

const pageSize = 50;

interface Shown {
  /** No filter hides them. */
  isShown: boolean;
  until: string | undefined;
  /** The oldest row of the history that is loaded; undefined: all are. */
  sinceMs: number | undefined;
}

/** Who changed a device in the time of the shown rows, for those who may read the audit log. */
export function useChanges({ isShown, until, sinceMs }: Shown): readonly TimelineItem[] {
  const { devEUI, organizationID } = useIDs();
  const isOffered = useOffered('audit', 'list', false);
  const mayRead = useMay()('audit.list', organizationID);
  const request = { organizationID, subject: auditSubject('device', devEUI), changesOnly: true, limit: pageSize };
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = useInfiniteQuery({
    // What changes the device reads this again.
    queryKey: ['device', 'listChanges', devEUI, until],
    queryFn: ({ pageParam, signal }) =>
      query('audit', 'list', { ...request, before: pageParam, ...(until && { end: until }) }).queryFn({ signal }),
    initialPageParam: '',
    getNextPageParam: ({ older }) => older || undefined,
    enabled: isShown && isOffered && mayRead,
  });
  const entries = useMemo(() => (data?.pages ?? []).flatMap(({ result }) => result), [data]);
  const isComplete = !hasNextPage || (sinceMs !== undefined && Date.parse(entries.at(-1)?.at ?? '') < sinceMs);
  useEffect(() => {
    if (isShown && !isComplete && !isFetching && !isError) void fetchNextPage();
  }, [isShown, isComplete, isFetching, isError, fetchNextPage]);
  return useMemo(
    () => (isShown ? entries.map(changeItem).filter(({ atMs }) => sinceMs === undefined || atMs >= sinceMs) : []),
    [isShown, entries, sinceMs],
  );
}

/** An entry of the audit log as a row of the timeline. */
export function changeItem(entry: AuditEntry): TimelineItem {
  const { id, at, operation, actorName, jobID, changes } = entry;
  const payload = { operation, by: actorName, changes, ...(jobID !== '' && { jobID }) };
  const event = { streamID: `change-${id}`, kind: 'change', publishedAt: at };
  return itemOf({ ...event, payloadJSON: JSON.stringify(payload), noteJSON: '' });
}
