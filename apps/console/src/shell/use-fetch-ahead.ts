import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { api } from '../api/client.ts';
import { resources } from '../api/contract-facts.ts';
import type { Ahead } from '../components/lazy-screen/lazy-screen.tsx';
import { nearestRoute } from './nearest-route.ts';
import { prefetchRoutes } from './prefetch-routes.ts';
import { isSaving } from './save-data.ts';

/** The performance mark at the end, for benchmarks and tests. */
const fetchedAhead = 'fetched-ahead';

const nothingElse = () =>
  new Promise<void>((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve());
    else setTimeout(resolve, 200);
  });

/** The page is complete after this long without a request; a request often follows from the response to another. */
const quietMs = 300;

const pageStands = (client: QueryClient) =>
  new Promise<void>((resolve) => {
    let timer: ReturnType<typeof setTimeout>;
    const look = () => {
      clearTimeout(timer);
      if (client.isFetching() > 0) return;
      timer = setTimeout(() => {
        stop();
        resolve();
      }, quietMs);
    };
    const stop = client.getQueryCache().subscribe(look);
    look();
  });

/**
 * Loads the other screens and the service definitions while the browser is idle, so that a click waits only for its
 * data. Screens below the current page come first, because most clicks lead there.
 */
export function useFetchAhead(): void {
  const router = useRouter();
  const client = useQueryClient();
  useEffect(() => prefetchRoutes(router), [router]);
  useEffect(() => {
    let isOver = isSaving();
    const fetchAll = async () => {
      await pageStands(client);
      await nothingElse();
      if (isOver) return;
      const descriptions: Promise<unknown>[] = [];
      for (const resource of resources) {
        descriptions.push(api.preload(resource));
        // One at a time: all at once would block a slow phone.
        await nothingElse();
        if (isOver) return;
      }
      const rest = new Set(Object.values(router.routesById));
      for (let next = nearest(); next; next = nearest()) {
        rest.delete(next);
        const screen = next.options.component as Partial<Ahead> | undefined;
        if (!screen?.preload || screen.isFetched?.()) continue;
        await nothingElse();
        if (isOver) return;
        await screen.preload();
        // Browsers do not retry a failed script import, so stop after the first failure.
        if (screen.isFetched?.() === false) return;
      }
      await Promise.all(descriptions);
      performance.mark(fetchedAhead);

      function nearest() {
        return nearestRoute([...rest], router.state.matches.at(-1)?.fullPath ?? '/');
      }
    };
    void fetchAll();
    return () => {
      isOver = true;
    };
  }, [router, client]);
}
