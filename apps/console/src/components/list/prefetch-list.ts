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
  await Promise.all([prefetch(page), prefetch(filters.counts.read('', [])), views && prefetchViews(views)]);
}
