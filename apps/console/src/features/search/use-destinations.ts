import { useNavigation } from '../../shell/entries.ts';
import { type Destination, searchPage, useFound } from './use-found.ts';

export interface DestinationGroup {
  label: string;
  destinations: Destination[];
}

/** The destinations of a text: pages of the navigation, search results, and the search page itself. */
export function useDestinations(text: string): { groups: DestinationGroup[]; isPending: boolean } {
  const search = text.trim();
  const { administration, organization } = useNavigation();
  const { found, isPending } = useFound(search);
  const entries = [...organization.flatMap((group) => group.entries), ...(administration ?? [])];
  const pages = entries.filter(({ label }) => label.toLowerCase().includes(search.toLowerCase()));
  return {
    isPending,
    groups: [
      { label: 'Pages', destinations: pages.map(({ label, to, Icon }) => ({ key: to, label, Icon, to })) },
      { label: 'Found', destinations: found },
      { label: 'Search', destinations: search === '' ? [] : [searchPage(search)] },
    ],
  };
}
