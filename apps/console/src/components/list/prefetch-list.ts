import { prefetch } from '../../api/prefetch.ts';
import type { Read } from '../../api/queries.ts';
import type { ListFilters } from '../filters/list-filters.ts';
import { prefetchViews, type ViewsOf } from '../views/saved-views.ts';

interface FirstReads {
  page: Read<unknown>;
  filters: ListFilters;
  views?: ViewsOf;
}

/** Reads the first page of a list, its counts and its views before it is shown. */
export async function prefetchList({ page, filters, views }: FirstReads): Promise<void> {
  // The rows wait for the views, as one of them may open the list; so the counts come last when only some may be read.
  await Promise.all([prefetch(page), views && prefetchViews(views), prefetch(filters.counts.read('', []))]);
}
