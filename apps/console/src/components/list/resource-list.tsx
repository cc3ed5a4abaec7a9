import { Button, Paper, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react';
import type { Read } from '../../api/queries.ts';
import { useAccepts, useChoices } from '../../api/use-choices.ts';
import { FilterChips } from '../filter-chips/filter-chips.tsx';
import { EmptyState } from '../states/empty-state.tsx';
import { ErrorState } from '../states/states.tsx';
import type { Column } from './cells.tsx';
import { DataTable, TableSkeleton } from './data-table.tsx';
import classes from './list.module.css';
import { Paginator } from './paginator.tsx';
import { listShortcuts } from './shortcuts.ts';
import { type Sort, SortSelect, usualOf } from './sort.tsx';
import { useListKeys } from './use-list-keys.ts';
import { type ListPage, useListPage } from './use-list-page.ts';
import { type Selection, SelectionBar } from './use-selection.tsx';

interface Page<Row> {
  result: readonly Row[];
  totalCount: string | number;
}

interface Props<Row, Field extends string, Filter extends string> {
  /** The resources of the list, in the plural: "Gateways". */
  label: string;
  query: (page: ListPage<Field, Filter | ''>) => Read<Page<Row>>;
  columns: Column<Row, Field>[];
  rowKey: (row: Row) => string;
  /** Placeholder of the search box; without it there is no search. */
  search?: string;
  /** Controls beside the search box. */
  toolbar?: ReactNode;
  /** The rows that its users have selected. */
  selection?: Selection<Row>;
  /** The controls filter the list: they stay visible when nothing matches. */
  isFiltered?: boolean;
  /** The filters of the list and their labels; shown if the server supports them. */
  filters?: readonly (readonly [name: Filter, word: string])[];
  empty: { title: string; text: string; icon?: ReactNode; action?: ReactNode };
  /** Refetch interval for rows that change on their own, such as last-seen times; also refetched when shown again. */
  refreshMs?: number;
}

const noneOf = (label: string, filter: string | undefined) =>
  filter === undefined
    ? `There are no ${label.toLowerCase()}.`
    : `No ${label.toLowerCase()} match the filter "${filter}".`;

/** Data this fresh was prefetched on the way to the list and is not fetched again. */
const justReadMs = 1_000;

/** The rows of a page, and those of the page before while they are read. */
function useRows<Row>(read: Read<Page<Row>>, refreshMs: number | undefined) {
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
  const data = useDeferredValue(latest);
  const isOlder = useDeferredValue(isPlaceholderData) || isPlaceholderData;
  return { latest, data, error, isPlaceholderData, isOlder, refetch };
}

/** A list that is read from the server page by page. Page, size, search and order are stored in the URL. */
export function ResourceList<Row, Field extends string = never, Filter extends string = never>({
  label,
  query,
  columns: declared,
  rowKey,
  search,
  toolbar,
  selection,
  isFiltered = false,
  filters = [],
  empty,
  refreshMs,
}: Props<Row, Field, Filter>) {
  const sortable = declared.flatMap(({ sort: field }) => field ?? []);
  const page = useListPage(
    sortable,
    filters.map(([name]) => name),
  );
  const read = query(page);
  const { latest, data, error, isPlaceholderData, isOlder, refetch } = useRows(read, refreshMs);
  // Until the server has described the operation, assume the usual options, so that no rows shift down.
  const offered = useChoices(read, 'orderBy', { enabled: error === null }) ?? (error ? [] : sortable);
  const columns = useOfferedColumns(read, declared, error === null);
  const list = useRef<HTMLDivElement>(null);
  useListKeys(list);
  const canSearch = useAccepts(read, 'search', { enabled: search !== undefined }) && search;
  const sort: Sort = {
    orderBy: page.orderBy,
    usual: usualOf(columns),
    offered,
    set: (orderBy) => page.set({ orderBy }),
  };
  const canFilter = useAccepts(read, 'filter', { enabled: error === null && filters.length > 0 });
  const chips = canFilter && !error ? filters : [];
  const total = Number(data?.totalCount ?? 0);
  useLastPage(page, latest && !isPlaceholderData ? Number(latest.totalCount) : undefined);
  // The displayed rows may still belong to an earlier request.
  const isCurrent = data !== undefined && data === latest && !isPlaceholderData;
  const chosenWord = filters.find(([name]) => name === page.filter)?.[1];
  const nothingAtAll = isCurrent && total === 0 && page.search === '' && page.filter === '';

  return (
    <Paper ref={list} p={0} className={classes.list}>
      {(canSearch || toolbar || offered.length > 0 || chips.length > 0) && (!nothingAtAll || isFiltered) && (
        <ListToolbar {...{ label, page, canSearch, chips, columns, sort, toolbar }} />
      )}
      {error && (
        <div className={classes.error}>
          <ErrorState error={error} retry={() => void refetch()} />
        </div>
      )}
      {data === undefined && !error && (
        <div className={classes.scroller}>
          <TableSkeleton columns={columns} rows={Math.min(page.size, 10)} />
        </div>
      )}
      {data && data.result.length > 0 && (
        <div className={classes.scroller}>
          <DataTable label={label} columns={columns} rows={data.result} rowKey={rowKey} stale={isOlder} sort={sort} />
        </div>
      )}
      {nothingAtAll && (
        <EmptyState title={empty.title} icon={empty.icon} action={empty.action}>
          {empty.text}
        </EmptyState>
      )}
      {data && total === 0 && !nothingAtAll && (
        <NothingFound
          text={page.search === '' ? noneOf(label, chosenWord) : `No match for "${page.search}".`}
          page={page}
        />
      )}
      {selection && <SelectionBar selection={selection} />}
      {data && total > 0 && <Paginator page={page} total={total} shown={data.result.length} />}
    </Paper>
  );
}

function NothingFound({ text, page }: { text: string; page: Pick<ListPage, 'set'> }) {
  return (
    <EmptyState
      title="Nothing found"
      action={
        <Button variant="default" onClick={() => page.set({ search: '', filter: '' })}>
          Show all
        </Button>
      }
    >
      {text}
    </EmptyState>
  );
}

interface ListToolbarProps<Row, Field extends string, Filter extends string> {
  label: string;
  page: ListPage;
  /** The placeholder of the search box; false without one. */
  canSearch: string | false | undefined;
  chips: readonly (readonly [Filter, string])[];
  columns: Column<Row, Field>[];
  sort: Sort;
  toolbar: ReactNode;
}

function ListToolbar<Row, Field extends string, Filter extends string>(props: ListToolbarProps<Row, Field, Filter>) {
  const { label, page, canSearch, chips, columns, sort, toolbar } = props;
  return (
    <div className={classes.toolbar} data-phone-only={(!canSearch && !toolbar && chips.length === 0) || undefined}>
      {canSearch && (
        <SearchBox
          key={label}
          placeholder={canSearch}
          value={page.search}
          onChange={(text) => page.set({ search: text })}
        />
      )}
      {chips.length > 0 && (
        <FilterChips
          className={classes.chips ?? ''}
          label="Show"
          all="All"
          names={chips}
          chosen={page.filter}
          onChoose={(filter) => page.set({ filter })}
        />
      )}
      <SortSelect columns={columns} sort={sort} />
      {toolbar && <div className={classes.tools}>{toolbar}</div>}
    </div>
  );
}

/** Without the columns that the server cannot fill; until it has described the operation, all of them. */
function useOfferedColumns<Row, Field extends string>(
  read: Read<unknown>,
  columns: Column<Row, Field>[],
  enabled: boolean,
): Column<Row, Field>[] {
  const needs = columns.some(({ include }) => include !== undefined);
  const included = useChoices(read, 'include', { enabled: enabled && needs });
  if (!needs || included === undefined) return columns;
  return columns.filter(({ include }) => include === undefined || included.includes(include));
}

/** Goes to the last page when the URL names one beyond it: rows were deleted, or the URL is old. */
function useLastPage({ page, size, goTo }: Pick<ListPage, 'page' | 'size' | 'goTo'>, total: number | undefined): void {
  const last = Math.max(1, Math.ceil((total ?? 0) / size));
  const isPast = total !== undefined && page > last;
  useEffect(() => {
    if (isPast) goTo(last);
  });
}

function SearchBox({
  placeholder,
  value,
  onChange,
}: {
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
}) {
  // The typed text until it is stored in the URL.
  const [draft, setDraft] = useState<string | null>(null);
  const send = useDebouncedCallback((text: string) => {
    onChange(text.trim());
    setDraft(null);
  }, 250);
  return (
    <TextInput
      type="search"
      className={classes.search ?? ''}
      aria-label={placeholder}
      placeholder={placeholder}
      leftSection={<IconSearch size={16} />}
      rightSection={(draft ?? value) === '' && <kbd className={classes.slash}>{listShortcuts.search.shown}</kbd>}
      rightSectionPointerEvents="none"
      value={draft ?? value}
      onChange={(event) => {
        setDraft(event.currentTarget.value);
        send(event.currentTarget.value);
      }}
    />
  );
}
