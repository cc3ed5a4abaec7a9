import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { api } from '../api/client.ts';
import { resources } from '../api/contract-facts.ts';
import type { Ahead } from '../components/lazy-screen/lazy-screen.tsx';

/** Somebody who pays by the byte fetches what they open, and no more. */
const isSaving = () => 'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true;

const nothingElse = () =>
  new Promise<void>((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve());
    else setTimeout(resolve, 200);
  });

/** Fetches the other screens and the descriptions of the calls while nothing else happens, so that a click waits for its data alone. */
export function useFetchAhead(): void {
  const { routesById } = useRouter();
  useEffect(() => {
    let isOver = isSaving();
    const fetchAll = async () => {
      await nothingElse();
      // A server that is gone is said where somebody asks it for something.
      if (!isOver) await api.preload(...resources).catch(() => undefined);
      for (const { options } of Object.values(routesById)) {
        await nothingElse();
        if (isOver) return;
        const screen = options.component as Partial<Ahead> | undefined;
        await screen?.preload?.();
        // Browsers do not ask again for a script that failed once: better one of those than many.
        if (screen?.isFetched?.() === false) return;
      }
    };
    void fetchAll();
    return () => {
      isOver = true;
    };
  }, [routesById]);
}
