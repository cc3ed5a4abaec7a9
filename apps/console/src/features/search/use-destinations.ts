import type { GlobalSearchResult } from '@hilltop/contract';
import { useDebouncedValue } from '@mantine/hooks';
import { type Icon, IconAntenna, IconAppWindow, IconBuilding, IconCpu, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { useEntries } from '../../shell/entries.ts';
import { targetOf } from './found.ts';

export interface Destination {
  key: string;
  label: string;
  /** What tells it from others of the same name. */
  detail?: string;
  Icon: Icon;
  to: string;
  search?: Record<string, string>;
}

const icons: Record<string, Icon> = {
  organization: IconBuilding,
  application: IconAppWindow,
  gateway: IconAntenna,
  device: IconCpu,
};
const mostFound = 8;

/** Where a text may lead: what the server finds, the pages of the navigation, and the search page itself. */
export function useDestinations(text: string): {
  groups: { label: string; destinations: Destination[] }[];
  isFetching: boolean;
} {
  const search = text.trim();
  const [settled] = useDebouncedValue(search, 200);
  const { administration, organization } = useEntries();
  const { data, isFetching } = useQuery({
    ...query('internal', 'globalSearch', { search: settled, limit: mostFound, offset: 0 }),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  });
  const found = search === '' || settled === '' ? [] : (data?.result ?? []);
  const pages = [...organization, ...administration].filter(({ label }) =>
    label.toLowerCase().includes(search.toLowerCase()),
  );
  return {
    isFetching,
    groups: [
      { label: 'Found', destinations: found.map(toDestination) },
      { label: 'Pages', destinations: pages.map(({ label, to, Icon }) => ({ key: to, label, Icon, to })) },
      { label: 'Search', destinations: search === '' ? [] : [searchPage(search)] },
    ],
  };
}

function toDestination(found: GlobalSearchResult): Destination {
  const { to, name, id } = targetOf(found);
  const owner = found.kind === 'organization' ? [] : [`organization: ${found.organizationName}`];
  return {
    key: `${found.kind} ${id}`,
    label: name,
    detail: [found.kind, ...owner, id].join(' · '),
    Icon: icons[found.kind] ?? IconSearch,
    to,
  };
}

const searchPage = (search: string): Destination => ({
  key: 'search',
  label: `Search for "${search}"`,
  Icon: IconSearch,
  to: paths.search(),
  search: { search },
});
