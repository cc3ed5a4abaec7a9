import type { Read } from './queries.ts';
import { queryClient } from './query-client.ts';

/** For this long the previous page stays on screen: skeletons shown for a shorter time would only flicker. */
const patienceMs = 80;
/** Limits the requests of a pointer that moves over a list of links. */
const mostAtOnce = 5;
/** How long a prefetched response that nobody uses stays in the cache. */
const keptMs = 30_000;

/**
 * Prefetches queries that are not cached yet, in parallel with the code of the screen. Failures are ignored, because
 * the screen repeats the request. Resolves when all have arrived or when the time limit has passed.
 */
export async function prefetch(read: Read<unknown>): Promise<void> {
  if (queryClient.getQueryData(read.queryKey) !== undefined || queryClient.isFetching() >= mostAtOnce) return;
  const asked = queryClient.prefetchQuery({ ...read, gcTime: keptMs });
  await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, patienceMs))]);
}
