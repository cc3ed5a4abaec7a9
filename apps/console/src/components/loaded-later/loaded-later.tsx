import { type ComponentType, lazy, useState } from 'react';

/**
 * A component whose code arrives later, inside a Suspense. Once it is there, the component renders at once: `lazy` would
 * show the fallback first, which React replaces after 300 ms at the earliest. `load` begins to load it.
 */
export function loadedLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> & { load: () => Promise<unknown> } {
  let loaded: ComponentType<Props> | undefined;
  const loadOnce = () =>
    load().then((component) => {
      loaded = component;
      return { default: component };
    });
  const Lazy = lazy(loadOnce) as unknown as ComponentType<Props>;
  function LoadedLater(props: Props) {
    // The same component for ever: another one would mount anew.
    const [{ Component }] = useState(() => ({ Component: loaded ?? Lazy }));
    return <Component {...props} />;
  }
  return Object.assign(LoadedLater, { load: loadOnce });
}
