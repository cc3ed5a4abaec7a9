import type { JobSelection, PartOf } from '@hilltop/contract';
import type { Selection } from '../list/use-selection.tsx';

/** What the API calls the rows that a user has selected in a list, or all that match its search and filters. */
export function selectedRecords(
  { chosen, matching }: Pick<Selection<unknown>, 'chosen' | 'matching'>,
  { applicationID = '' }: { applicationID?: string },
): PartOf<JobSelection> {
  if (!matching) return { ids: [...chosen.keys()] };
  return {
    ...(applicationID !== '' && { applicationID }),
    search: matching.search,
    filter: [...matching.filter],
    except: [...matching.except],
    all: true,
  };
}
