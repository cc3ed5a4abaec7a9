import { useState, useSyncExternalStore } from 'react';

/** The time at which all charts of a page show their values. */
export interface Crosshair {
  readonly at: () => number | undefined;
  readonly move: (at: number | undefined) => void;
  readonly watch: (watcher: () => void) => () => void;
}

function createCrosshair(): Crosshair {
  let current: number | undefined;
  const watchers = new Set<() => void>();
  return {
    at: () => current,
    move: (at) => {
      if (at === current) return;
      current = at;
      for (const watcher of watchers) watcher();
    },
    watch: (watcher) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}

export const useCrosshair = (): Crosshair => useState(createCrosshair)[0];

export const useCrosshairTime = ({ watch, at }: Crosshair): number | undefined => useSyncExternalStore(watch, at);
