import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { api } from '../api/client.ts';
import { resources } from '../api/contract-facts.ts';
import type { Ahead } from '../components/lazy-screen/lazy-screen.tsx';
import { nearestOf } from './nearest.ts';
import { prefetchRoutes } from './prefetch-routes.ts';
import { isSaving } from './save-data.ts';

/** Said to whoever measures the console. */
const fetchedAhead = 'fetched-ahead';

const nothingElse = () =>
  new Promise<void>((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve());
    else setTimeout(resolve, 200);
  });

/** So long without a question to the server: the page stands. A question often follows from the answer to another. */
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
 * Fetches the other screens and the descriptions of the calls while nothing else happens, so that a click waits for its
 * data alone. What lies below the page on show comes first: most clicks lead there.
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
      // A server that is gone is said where somebody asks it for something.
      const descriptions: Promise<unknown>[] = [];
      for (const resource of resources) {
        descriptions.push(api.preload(resource).catch(() => undefined));
        // All of them at once would hold up a slow phone.
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
        // Browsers do not ask again for a script that failed once: better one of those than many.
        if (screen.isFetched?.() === false) return;
      }
      await Promise.all(descriptions);
      performance.mark(fetchedAhead);

      function nearest() {
        return nearestOf([...rest], router.state.matches.at(-1)?.fullPath ?? '/');
      }
    };
    void fetchAll();
    return () => {
      isOver = true;
    };
  }, [router, client]);
}
