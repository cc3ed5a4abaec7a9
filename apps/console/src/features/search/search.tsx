import type { GlobalSearchResult } from '@hilltop/contract';
import { Group, Paper } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { DataTable, TableSkeleton } from '../../components/list/data-table.tsx';
import { useListPage } from '../../components/list/use-list-page.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { EmptyState } from '../../components/states/states.tsx';
import { paths } from '../../paths.ts';
import classes from './search.module.css';

const columns = [
  { header: 'Kind', cell: (found: GlobalSearchResult) => <b>{found.kind}</b> },
  {
    header: 'Name',
    primary: true,
    cell: (found: GlobalSearchResult) => <AppLink to={target(found).to}>{target(found).name}</AppLink>,
  },
  { header: 'Belongs to', cell: (found: GlobalSearchResult) => <Owners found={found} /> },
  { header: 'ID', cell: (found: GlobalSearchResult) => <span className="identifier">{target(found).id}</span> },
];

export function Search() {
  const { search, size, page, limit, offset } = useListPage();
  // The answer has no total: one row more than shown tells whether there is a next page.
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
          <EmptyState title="Nothing to search for">
            Type a name, an EUI, a gateway ID or a device address at the top.
          </EmptyState>
        ) : (
          <Loaded query={found} skeleton={<TableSkeleton columns={columns} />}>
            {({ result }) =>
              result.length === 0 ? (
                <EmptyState title="Nothing found">No match for "{search}" among what you may see.</EmptyState>
              ) : (
                <DataTable
                  label="Search results"
                  columns={columns}
                  rows={result.slice(0, size)}
                  rowKey={(one) => `${one.kind}-${target(one).id}`}
                  stale={found.isPlaceholderData}
                />
              )
            }
          </Loaded>
        )}
      </Paper>
      <Group mt="sm" justify="flex-end">
        {page > 1 && (
          <LinkButton variant="default" to="." search={{ search, page: String(page - 1) }}>
            Previous
          </LinkButton>
        )}
        {(found.data?.result.length ?? 0) > size && (
          <LinkButton variant="default" to="." search={{ search, page: String(page + 1) }}>
            Next
          </LinkButton>
        )}
      </Group>
    </>
  );
}

function target(found: GlobalSearchResult): { to: string; name: string; id: string } {
  const { organizationID, applicationID } = found;
  if (found.kind === 'device') {
    return {
      to: paths.device(organizationID, applicationID, found.deviceDevEUI),
      name: found.deviceName,
      id: found.deviceDevEUI,
    };
  }
  if (found.kind === 'gateway') {
    return { to: paths.gateway(organizationID, found.gatewayMAC), name: found.gatewayName, id: found.gatewayMAC };
  }
  if (found.kind === 'application') {
    return { to: paths.application(organizationID, applicationID), name: found.applicationName, id: applicationID };
  }
  return { to: paths.organization(organizationID), name: found.organizationName, id: organizationID };
}

function Owners({ found }: { found: GlobalSearchResult }) {
  if (found.kind === 'organization') return null;
  return (
    <p className={classes.owners}>
      organization: <AppLink to={paths.organization(found.organizationID)}>{found.organizationName}</AppLink>
      {found.kind === 'device' && (
        <>
          , application:{' '}
          <AppLink to={paths.application(found.organizationID, found.applicationID)}>{found.applicationName}</AppLink>
        </>
      )}
    </p>
  );
}
