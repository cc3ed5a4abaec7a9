import type { AnyRouter } from '@tanstack/react-router';
import type { Ahead } from '../components/lazy-screen/lazy-screen.tsx';
import type { IDs } from '../components/link/use-ids.ts';
import { isSaving } from './save-data.ts';

interface Way {
  params: IDs;
  location: { searchStr: string };
  /** The pointer is on a link, without a click. */
  preload: boolean;
}

/**
 * Prefetches the first queries of a screen on navigation, and when the pointer rests on a link to it. With page, search
 * or order in the URL the screen sends its queries itself.
 */
export function prefetchRoutes({ routesById }: AnyRouter): void {
  for (const { options } of Object.values(routesById)) {
    const screen = options.component as Partial<Ahead> | undefined;
    if (!screen?.ask) continue;
    options.loader = ({ params, location, preload }: Way) => {
      if (location.searchStr === '' && !(preload && isSaving())) return screen.ask!(params);
    };
  }
}
