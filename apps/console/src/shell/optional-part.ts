import { type ComponentType, lazy } from 'react';

/** A part of the shell without which pages work: nothing when its code cannot be loaded, as while the server is away. */
export const optionalPart = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy<ComponentType<Props>>(() =>
    load().then(
      (component) => ({ default: component }),
      () => ({ default: () => null }),
    ),
  );
