import { Paper } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useEffect, useEffectEvent, useRef } from 'react';
import type { Read } from '../../api/queries.ts';
import { useAccepts, useChoices } from '../../api/use-choices.ts';
import { FilterRows } from '../filters/filter-rows.tsx';
import { isKnownFilter, type ListFilters } from '../filters/list-filters.ts';
import { NothingMatches } from '../filters/nothing-matches.tsx';
import { useScrollEdges } from '../scroll-edges/use-scroll-edges.ts';
import { EmptyState } from '../states/empty-state.tsx';
import { ErrorState } from '../states/states.tsx';
import { useSavedViews, type ViewsOf } from '../views/saved-views.ts';
import { ViewsMenu } from '../views/views-menu.tsx';
import type { Column } from './cells.tsx';
import { DataTable, TableSkeleton } from './data-table.tsx';
import classes from './list.module.css';
import { ListToolbar } from './list-toolbar.tsx';
import { Paginator } from './paginator.tsx';
import { type Sort, usualOf } from './sort.tsx';
import { type OptionalColumns, useColumns, useOfferedColumns } from './use-columns.ts';
import { useListKeys } from './use-list-keys.ts';
import { type ListPage, useListPage } from './use-list-page.ts';
import { type Selection, SelectionBar } from './use-selection.tsx';

interface Page<Row> {
  result: readonly Row[];
  totalCount: string | number;
}

interface Props<Row, Field extends string> {
  /** The resources of the list, in the plural: "Gateways". */
  label: string;
  /** `include` names what the request must include for the columns that the user has added. */
  query: (page: ListPage<Field>, include: string[]) => Read<Page<Row>>;
  columns: Column<Row, Field>[];
  rowKey: (row: Row) => string;
  /** Placeholder of the search box; without it there is no search. */
  search?: string;
  /** Controls beside the search box. */
  toolbar?: ReactNode;
  /** The rows that its users have selected; without it there are no check boxes. */
  selection?: Selection<Row> | undefined;
  /** What can be done with the selected rows. */
  actions?: ReactNode;
  /** All that match can be selected at once. */
  canSelectAll?: boolean;
  /** The controls filter the list: they stay visible when nothing matches. */
  isFiltered?: boolean;
  /** How the list can be filtered, if the server supports it. */
  filters?: ListFilters;
  /** Columns that users can add. */
  optional?: OptionalColumns<Row, Field>;
  /** Whose saved views the list offers. */
  views?: ViewsOf | undefined;
  empty: { title: string; text: string; icon?: ReactNode; action?: ReactNode };
  /** Refetch interval for rows that change on their own, such as last-seen times; also refetched when shown again. */
  refreshMs?: number;
}

/** Data this fresh was prefetched on the way to the list and is not fetched again. */
const justReadMs = 1_000;

/** The rows of a page, and those of the page before while they are read. None while another page is about to open. */
function useRows<Row>(read: Read<Page<Row>>, refreshMs: number | undefined, isOpening: boolean) {
  const {
    data: latest,
    error,
    isPlaceholderData,
    refetch,
  } = useQuery({
    ...read,
    placeholderData: keepPreviousData,
    ...(refreshMs !== undefined && { refetchInterval: refreshMs, staleTime: justReadMs }),
  });
  // Rows are rendered in slices, between which a slow phone can scroll and respond.
  const data = useDeferredValue(isOpening ? undefined : latest);
  const isOlder = useDeferredValue(isPlaceholderData) || isPlaceholderData;
  return { latest, data, error, isPlaceholderData, isOlder, refetch };
}

/** The filters of a list that the server supports. */
function useSupportedFilters(read: Read<unknown>, filters: ListFilters | undefined, enabled: boolean) {
  const isSupported = useAccepts(read, 'filter', { enabled: enabled && filters !== undefined });
  return isSupported ? filters : undefined;
}

/**
 * A list that is read from the server page by page. Page, size, search, order, filters and columns are stored in the
 * URL.
 */
export function ResourceList<Row, Field extends string = never>(props: Props<Row, Field>) {
  const { label, query, columns: declared, rowKey, search, toolbar, isFiltered = false } = props;
  const { filters: wanted, optional, views, empty, refreshMs, selection, actions, canSelectAll = false } = props;
  const sortable = [...declared, ...(optional?.columns ?? [])].flatMap(({ sort: field }) => field ?? []);
  const page = useListPage(sortable, (one) => wanted !== undefined && isKnownFilter(wanted.fields, one));
  const chosen = useColumns(declared, optional, page);
  const read = query(page, chosen.include);
  const saved = useSavedViews(views);
  const rows = useRows(read, refreshMs, saved.isOpening);
  const { latest, data, error, isPlaceholderData } = rows;
  // Until the server has described the operation, assume the usual options, so that no rows shift down.
  const offered = useChoices(read, 'orderBy', { enabled: error === null }) ?? (error ? [] : sortable);
  const columns = useOfferedColumns(read, chosen.columns, error === null);
  const list = useRef<HTMLDivElement>(null);
  useListKeys(list);
  const canSearch = useAccepts(read, 'search', { enabled: search !== undefined }) && search;
  const filters = useSupportedFilters(read, wanted, error === null);
  const sort: Sort = {
    orderBy: page.orderBy,
    usual: usualOf(columns),
    offered,
    set: (orderBy) => page.set({ orderBy }),
  };
  const total = Number(data?.totalCount ?? 0);
  useSelectedFilter(selection, page);
  useLastPage(page, latest && !isPlaceholderData ? Number(latest.totalCount) : undefined);
  // The displayed rows may still belong to an earlier request.
  const isCurrent = data !== undefined && data === latest && !isPlaceholderData;
  const nothingAtAll = isCurrent && total === 0 && page.search === '' && page.filter.length === 0;
  const hasControls = canSearch || toolbar || offered.length > 0 || filters !== undefined;

  return (
    <Paper ref={list} p={0} className={classes.list}>
      {hasControls && (!nothingAtAll || isFiltered) && (
        <ListToolbar
          {...{ label, page, canSearch, filters, columns, optional, chosen, sort, toolbar }}
          views={views && filters && <ViewsMenu of={views} noun={filters.noun} saved={saved} columns={chosen.chosen} />}
        />
      )}
      {filters && !nothingAtAll && <FilterRows of={filters} page={page} refreshMs={refreshMs} />}
      <ListRows {...{ label, columns, rowKey, selection, sort, page, rows }} />
      {nothingAtAll && (
        <EmptyState title={empty.title} icon={empty.icon} action={empty.action}>
          {empty.text}
        </EmptyState>
      )}
      {data && total === 0 && !nothingAtAll && (
        <NothingMatches
          noun={label.toLowerCase()}
          of={filters}
          search={page.search}
          filters={page.filters}
          onChange={(change) => page.set(change)}
        />
      )}
      {selection && (
        <SelectionBar
          selection={selection}
          rows={data?.result ?? []}
          all={canSelectAll ? { search: page.search, filter: page.filter, total } : undefined}
          actions={actions}
        />
      )}
      {data && total > 0 && <Paginator page={page} total={total} shown={data.result.length} />}
    </Paper>
  );
}

interface ListRowsProps<Row, Field extends string>
  extends Pick<Props<Row, Field>, 'label' | 'columns' | 'rowKey' | 'selection'> {
  sort: Sort;
  page: Pick<ListPage, 'size'>;
  rows: ReturnType<typeof useRows<Row>>;
}

/** The rows of the page, or why there are none yet. */
function ListRows<Row, Field extends string>(props: ListRowsProps<Row, Field>) {
  const { label, columns, rowKey, selection, sort, page } = props;
  const { data, error, isOlder, refetch } = props.rows;
  const scroller = useScrollEdges<HTMLDivElement>();
  return (
    <>
      {error && (
        <div className={classes.error}>
          <ErrorState error={error} retry={() => void refetch()} />
        </div>
      )}
      {data === undefined && !error && (
        <div className={classes.scroller}>
          <TableSkeleton
            columns={selection ? [{ header: 'Select' }, ...columns] : columns}
            rows={Math.min(page.size, 10)}
          />
        </div>
      )}
      {data && data.result.length > 0 && (
        <div ref={scroller} className={classes.scroller}>
          <DataTable
            label={label}
            columns={selection ? [selection.columnOf(data.result), ...columns] : columns}
            rows={data.result}
            rowKey={rowKey}
            stale={isOlder}
            sort={sort}
          />
        </div>
      )}
    </>
  );
}

/** What matches is no longer selected when the search or the filters change. */
function useSelectedFilter<Row>(selection: Selection<Row> | undefined, { search, filter }: ListPage): void {
  const matching = selection?.matching;
  const isOther =
    matching !== undefined && (matching.search !== search || matching.filter.join('\n') !== filter.join('\n'));
  const drop = useEffectEvent(() => selection?.drop());
  useEffect(() => {
    if (isOther) drop();
  }, [isOther]);
}

/** Goes to the last page when the URL names one beyond it: rows were deleted, or the URL is old. */
function useLastPage({ page, size, goTo }: Pick<ListPage, 'page' | 'size' | 'goTo'>, total: number | undefined): void {
  const last = Math.max(1, Math.ceil((total ?? 0) / size));
  const isPast = total !== undefined && page > last;
  useEffect(() => {
    if (isPast) goTo(last);
  });
}
