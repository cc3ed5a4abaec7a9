import { type ComponentType, type ReactNode, use } from 'react';
import { ScreenFailure } from './screen-failure.ts';

/** What can be fetched before it is wanted. */
export interface Ahead {
  preload: () => Promise<void>;
  isFetched: () => boolean;
}

/**
 * A screen in a chunk of its own. The router fetches it ahead (`preload`); a failure then is forgotten, and one while
 * the screen is wanted is thrown to the error boundary, which keeps the shell around it alive.
 */
export function lazyScreen(load: () => Promise<ComponentType>): (() => ReactNode) & Ahead {
  let Screen: ComponentType | undefined;
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
  });
}
