import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/**
 * A component whose code arrives later; until then, `waiting` is shown. Not with `lazy` and Suspense: React would replace
 * the fallback after 300 ms at the earliest. `load` begins to load it.
 */
export function loadedLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: ReactNode,
): ComponentType<Props> & { load: () => Promise<unknown> } {
  let loaded: ComponentType<Props> | undefined;
  const loadOnce = async () => {
    loaded ??= await load();
    return loaded;
  };
  function LoadedLater(props: Props) {
    // The same component for ever: another one would mount anew.
    const [Component, setComponent] = useState(() => loaded);
    const [failure, setFailure] = useState<Error>();
    useEffect(() => {
      if (Component) return undefined;
      let isOver = false;
      loadOnce().then(
        (component) => !isOver && setComponent(() => component),
        (error: unknown) => !isOver && setFailure(error instanceof Error ? error : new Error(String(error))),
      );
      return () => {
        isOver = true;
      };
    }, [Component]);
    // For the error boundary.
    if (failure) throw failure;
    return Component ? <Component {...props} /> : waiting;
  }
  return Object.assign(LoadedLater, { load: loadOnce });
}
