import { IconKeyboard } from '@tabler/icons-react';
import { useNavigation } from '../../shell/entries.ts';
import { type Destination, searchPage, useFound } from './use-found.ts';

/** The list of keyboard shortcuts: a dialog, not a page. */
export const shortcutsKey = 'shortcuts';
const shortcuts = { key: shortcutsKey, label: 'Keyboard shortcuts', Icon: IconKeyboard, to: '' };

export interface DestinationGroup {
  label: string;
  destinations: Destination[];
}

/** The destinations of a text: pages of the navigation, search results, the search page; and why there are no results. */
export function useDestinations(text: string): { groups: DestinationGroup[]; isPending: boolean; problem: string } {
  const search = text.trim();
  const { administration, organization } = useNavigation();
  const { found, isPending, error } = useFound(search);
  const entries = [...organization.flatMap((group) => group.entries), ...(administration ?? [])];
  const fits = ({ label }: { label: string }) => label.toLowerCase().includes(search.toLowerCase());
  const pages = entries.filter(fits);
  const isNone = search !== '' && !isPending && found.length === 0;
  return {
    isPending,
    problem: error ? 'The search failed.' : isNone ? 'No organization, application, gateway or device matches.' : '',
    groups: [
      { label: 'Pages', destinations: pages.map(({ label, to, Icon }) => ({ key: to, label, Icon, to })) },
      { label: 'Found', destinations: found },
      { label: 'Help', destinations: [shortcuts].filter(fits) },
      { label: 'Search', destinations: search === '' ? [] : [searchPage(search)] },
    ],
  };
}
