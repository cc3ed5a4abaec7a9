import { historyKinds } from '@hilltop/contract';
import { Alert, Button, Paper, Skeleton, Stack } from '@mantine/core';
import { IconDownload, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ApiError, api } from '../../../api/client.ts';
import { startDownload } from '../../../components/download/start-download.ts';
import { formatLong } from '../../../components/last-seen/dates.ts';
import { useIDs } from '../../../components/link/use-ids.ts';
import { KindFilter, LogFilters, TextFilter } from '../../../components/live-log/log-filters.tsx';
import { EmptyState } from '../../../components/states/empty-state.tsx';
import { NoPermission } from '../../../components/states/error-pages.tsx';
import { ErrorState } from '../../../components/states/states.tsx';
import { exchangesOf, type TimelineItem, withChanges } from './exchanges.ts';
import classes from './timeline.module.css';
import { TimelineOverview } from './timeline-overview.tsx';
import { TimelineRows } from './timeline-rows.tsx';
import { useChanges } from './use-changes.ts';
import { mostRows, useTimeline } from './use-timeline.ts';

/** Everything that happened between a device and the network, grouped by exchange. */
export function DeviceTimeline() {
  const { devEUI } = useIDs();
  const { until, chooseUntil } = useUntil();
  const { filter, change, clear } = useTimelineFilter();
  const timeline = useTimeline(devEUI, until, filter);
  const { items, error, isPending, refetch } = timeline;
  const oldest = timeline.hasNextPage ? items.at(-1)?.atMs : undefined;
  const changes = useChanges({ isShown: clear === undefined && !isPending, until, sinceMs: oldest });
  const exchanges = useMemo(() => withChanges(exchangesOf(items), changes), [items, changes]);
  if (error instanceof ApiError && error.code === 7) return <NoPermission />;
  return (
    <Stack align="stretch">
      <TimelineOverview
        devEUI={devEUI}
        items={items}
        untilMs={until === undefined ? undefined : Date.parse(until)}
        onChoose={({ toMs }) => chooseUntil(new Date(toMs).toISOString())}
      />
      {isFromRemote(items) && (
        <Alert icon={<IconInfoCircle />}>
          This network-server reports no MAC commands, no joins before their first uplink, and no frames that it
          refused.
        </Alert>
      )}
      <div className={classes.bar}>
        <LogFilters onClear={clear}>
          <KindFilter
            kinds={historyKinds}
            chosen={filter.kinds}
            onChoose={(kinds) => change({ kind: kinds.join(',') })}
          />
          <TextFilter label="Text or hex bytes" width={18} value={filter.text} onChange={(q) => change({ q })} />
        </LogFilters>
        {until !== undefined && (
          <>
            <p>{`Up to ${formatLong(until)}`}</p>
            <Button variant="default" size="xs" onClick={() => chooseUntil(undefined)}>
              Show the newest
            </Button>
          </>
        )}
        <DownloadDiagnosis devEUI={devEUI} />
      </div>
      {isPending && <Skeleton height={400} />}
      {error && items.length === 0 && <ErrorState error={error} retry={() => void refetch()} />}
      {!isPending && !error && exchanges.length === 0 && clear && (
        <Paper>
          <EmptyState title="No event matches the filters">
            <Button variant="default" size="xs" onClick={clear}>
              Clear filters
            </Button>
          </EmptyState>
          <TimelineEnd timeline={timeline} />
        </Paper>
      )}
      {!isPending && !error && exchanges.length === 0 && !clear && (
        <Paper>
          <EmptyState title="Nothing has happened yet">
            Joins, uplinks and downlinks of this device appear here, also when they fail.
          </EmptyState>
        </Paper>
      )}
      {exchanges.length > 0 && (
        <>
          <TimelineRows exchanges={exchanges} />
          <TimelineEnd timeline={timeline} />
        </>
      )}
    </Stack>
  );
}

/** A file for support: the device without its keys, its last rows, and the gateways that heard it. */
function DownloadDiagnosis({ devEUI }: { devEUI: string }) {
  const { data: isOffered = false } = useQuery({
    queryKey: ['offered', 'download'],
    queryFn: () => api.download.create.isOffered(),
    staleTime: Infinity,
  });
  return (
    <Button
      className={classes.diagnosis}
      variant="default"
      size="xs"
      leftSection={<IconDownload size={16} />}
      disabled={!isOffered}
      onClick={() => void startDownload('DIAGNOSIS', 'JSON', { devEUI })}
    >
      Download diagnosis
    </Button>
  );
}

/** The end of the shown rows, in the address: `?until=2026-11-21T10:00:00Z`. */
function useUntil() {
  const { until: asked = '', ...address }: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const until = Number.isNaN(Date.parse(asked)) ? undefined : asked;
  const chooseUntil = (next: string | undefined) =>
    void navigate({ to: '.', resetScroll: false, search: { ...address, until: next } });
  return { until, chooseUntil };
}

/** The filter in the address: `?kind=up,error&q=…`, as that of the device data. */
function useTimelineFilter() {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const { kind = '', q = '' } = address;
  const filter = useMemo(() => {
    const kinds = kind.split(',').filter((one) => (historyKinds as readonly string[]).includes(one));
    return { kinds, text: q.slice(0, 100) };
  }, [kind, q]);
  const change = (next: { kind?: string; q?: string }) => {
    const changed = { kind, q, ...next };
    const search = { ...address, kind: changed.kind || undefined, q: changed.q || undefined };
    void navigate({ to: '.', replace: true, resetScroll: false, search });
  };
  const isFiltered = filter.kinds.length > 0 || filter.text !== '';
  return { filter, change, clear: isFiltered ? () => change({ kind: '', q: '' }) : undefined };
}

/** A remote network-server reports no time on air. */
function isFromRemote(items: readonly TimelineItem[]): boolean {
  const newest = items.find(({ kind, note }) => kind === 'up' && !note.simulated);
  return newest !== undefined && newest.note.airtimeMs === undefined;
}

function TimelineEnd({ timeline }: { timeline: ReturnType<typeof useTimeline> }) {
  const { items, hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = timeline;
  const { storedSince, searchedTo } = timeline;
  const isFull = items.length >= mostRows;
  return (
    <div className={classes.end}>
      {isFetchNextPageError && <ErrorState error={error} retry={() => void fetchNextPage()} />}
      {hasNextPage && searchedTo && <p>{`Searched back to ${formatLong(searchedTo)}.`}</p>}
      {hasNextPage && !isFull && !isFetchNextPageError && (
        <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {searchedTo ? 'Search on' : 'Load older'}
        </Button>
      )}
      {isFull && <p>Choose a column above to go further back.</p>}
      {!hasNextPage && storedSince && <p>{`Stored since ${formatLong(storedSince)}.`}</p>}
    </div>
  );
}
