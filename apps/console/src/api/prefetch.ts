import type { Read } from './queries.ts';
import { queryClient } from './query-client.ts';

/** Before that the page before stays: grey bars for so short a time would only flicker, and cost a picture. */
const patienceMs = 80;
/** Whoever moves over a list of links asks for few of them. */
const mostAtOnce = 4;
/** Of what nobody opens. */
const keptMs = 30_000;

/**
 * Asks for what is not there at all, beside the way to the screen that shows it; a failure is forgotten, as the screen asks
 * again. Resolves when it is there, or its time is over.
 */
export async function prefetch(read: Read<unknown>): Promise<void> {
  if (queryClient.getQueryData(read.queryKey) !== undefined || queryClient.isFetching() >= mostAtOnce) return;
  const asked = queryClient.prefetchQuery({ ...read, gcTime: keptMs });
  await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, patienceMs))]);
}
