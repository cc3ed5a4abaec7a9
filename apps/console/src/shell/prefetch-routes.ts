import type { AnyRouter } from '@tanstack/react-router';
import type { Ahead } from '../components/lazy-screen/lazy-screen.tsx';
import type { IDs } from '../components/link/use-ids.ts';
import { isSaving } from './save-data.ts';

interface Way {
  params: IDs;
  location: { searchStr: string };
  /** Nobody has clicked yet. */
  preload: boolean;
}

/**
 * On the way to a screen, and when a hand rests on a link to it, what the screen begins with is asked for. With a page, a
 * search or an order in the address it asks by itself.
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
