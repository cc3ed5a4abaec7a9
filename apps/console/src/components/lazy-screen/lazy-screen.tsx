import { type ComponentType, type ReactNode, use } from 'react';
import type { IDs } from '../link/use-ids.ts';
import { ScreenFailure } from './screen-failure.ts';

/** `ask` puts the questions it begins with at a plain address: on the way to it, so that the answers are in its first picture. */
export type ScreenComponent = ComponentType & { ask?: (ids: IDs) => Promise<void> };

/** What can be fetched before it is wanted. */
export interface Ahead {
  preload: () => Promise<void>;
  isFetched: () => boolean;
  /** Nothing before the screen itself has been fetched. */
  ask: (ids: IDs) => Promise<void> | undefined;
}

/**
 * A screen in a chunk of its own. The router fetches it ahead (`preload`); a failure then is forgotten, and one while
 * the screen is wanted is thrown to the error boundary, which keeps the shell around it alive.
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
