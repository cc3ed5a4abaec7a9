import { type ComponentType, type ReactNode, use } from 'react';
import type { IDs } from '../link/use-ids.ts';
import { ScreenFailure } from './screen-failure.ts';

/** `ask` prefetches the first queries of the screen at its plain URL, so that its first render has data. */
export type ScreenComponent = ComponentType & { ask?: (ids: IDs) => Promise<void> };

/** A screen that can be loaded before it is rendered. */
export interface Ahead {
  preload: () => Promise<void>;
  isFetched: () => boolean;
  /** Prefetches the queries of the screen; does nothing until its code is loaded. */
  ask: (ids: IDs) => Promise<void> | undefined;
}

/**
 * A screen in a chunk of its own. The router preloads it; a failed preload is ignored and retried. A failure while
 * rendering goes to the error boundary, which keeps the shell alive.
 */
export function lazyScreen(load: () => Promise<ScreenComponent>): (() => ReactNode) & Ahead {
  let Screen: ScreenComponent | undefined;
  let loading: Promise<void> | undefined;

  function fetchOnce(): Promise<void> {
    loading ??= load().then(
      (loaded) => {
        Screen = loaded;
      },
      (cause: unknown) => {
        throw new ScreenFailure(cause);
      },
    );
    return loading;
  }

  const LazyScreen = () => {
    if (!Screen) use(fetchOnce());
    return Screen && <Screen />;
  };
  return Object.assign(LazyScreen, {
    preload: () =>
      fetchOnce().catch(() => {
        loading = undefined;
      }),
    isFetched: () => Screen !== undefined,
    ask: (ids: IDs) => Screen?.ask?.(ids),
  });
}
