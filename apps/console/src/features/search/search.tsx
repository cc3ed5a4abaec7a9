import type { GlobalSearchResult } from '@hilltop/contract';
import { Paper } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { AppLink } from '../../components/link/link.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { DataTable, TableSkeleton } from '../../components/list/data-table.tsx';
import { Paginator } from '../../components/list/paginator.tsx';
import { useListPage } from '../../components/list/use-list-page.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import classes from './search.module.css';
import { targetOf } from './search-target.ts';

const columns: Column<GlobalSearchResult>[] = [
  { header: 'Kind', width: 110, card: 'aside', cell: ({ kind }) => kind },
  {
    header: 'Name',
    primary: true,
    cell: (found) => <AppLink to={targetOf(found).to}>{targetOf(found).name}</AppLink>,
  },
  {
    header: 'Belongs to',
    card: 'cut',
    cell: (found) => <Owners found={found} />,
  },
  {
    header: 'ID',
    fit: true,
    card: 'plain',
    cell: (found) => <span className="identifier">{targetOf(found).id}</span>,
  },
];

export function Search() {
  const page = useListPage();
  const { search, size, limit, offset } = page;
  // The response has no total: one row more than displayed shows that there is a next page.
  const found = useQuery({
    ...query('internal', 'globalSearch', { search, limit: limit + 1, offset }),
    enabled: search !== '',
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader title={search === '' ? 'Search' : `Search: ${search}`} />
      <Paper p={0}>
        {search === '' ? (
          <EmptyState title="Enter a search term">
            Enter a name, an EUI, a gateway ID or a device address in the search box. Enter site:roof to find devices
            and gateways with the tag site = roof.
          </EmptyState>
        ) : (
          <Loaded query={found} skeleton={<TableSkeleton columns={columns} />}>
            {({ result }) =>
              result.length === 0 ? (
                <NothingFound search={search} isPastTheEnd={page.page > 1} />
              ) : (
                <DataTable
                  label="Search results"
                  columns={columns}
                  rows={result.slice(0, size)}
                  rowKey={(one) => `${one.kind}-${targetOf(one).id}`}
                  stale={found.isPlaceholderData}
                />
              )
            }
          </Loaded>
        )}
        {found.data && found.data.result.length + page.offset > 0 && search !== '' && (
          <Paginator
            page={page}
            shown={Math.min(size, found.data.result.length)}
            {...(found.data.result.length > size ? { more: true } : { total: page.offset + found.data.result.length })}
          />
        )}
      </Paper>
    </>
  );
}

function NothingFound({ search, isPastTheEnd }: { search: string; isPastTheEnd: boolean }) {
  if (isPastTheEnd) return <EmptyState title="No more results">This page is past the last result.</EmptyState>;
  return (
    <EmptyState title="Nothing found">
      No match for "{search}" in your organizations. The search covers names, EUIs, gateway IDs, device addresses and
      tags (key:value).
    </EmptyState>
  );
}

function Owners({ found }: { found: GlobalSearchResult }) {
  if (found.kind === 'organization') return null;
  return (
    <ul className={classes.owners}>
      <li>
        <AppLink to={paths.organization.one(found.organizationID)}>{found.organizationName}</AppLink>
      </li>
      {found.kind === 'device' && (
        <li>
          {' / '}
          <AppLink to={paths.application.one(found.organizationID, found.applicationID)}>
            {found.applicationName}
          </AppLink>
        </li>
      )}
    </ul>
  );
}
