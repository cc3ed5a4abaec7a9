import { type KeyboardEvent, useState } from 'react';
import type { JsonLine } from './json-lines.ts';

/** Arrow keys, Home and End over the lines of a tree (the tree pattern of WAI-ARIA). */
export function useTreeKeys(lines: readonly JsonLine[], fold: (path: string, isFolded: boolean) => void) {
  const [chosen, setCurrent] = useState(0);
  const current = Math.min(chosen, lines.length - 1);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const line = lines[current];
    if (!line) return;
    const go = (index: number) => {
      event.preventDefault();
      const target = Math.max(0, Math.min(lines.length - 1, index));
      setCurrent(target);
      const item = event.currentTarget.children[target];
      if (item instanceof HTMLElement) item.focus();
    };
    const turn = (isFolded: boolean) => {
      event.preventDefault();
      fold(line.path, isFolded);
    };
    const isBranch = line.isFolded !== null;
    const actions: Record<string, () => void> = {
      ArrowDown: () => go(current + 1),
      ArrowUp: () => go(current - 1),
      Home: () => go(0),
      End: () => go(lines.length - 1),
      ArrowRight: () => (line.isFolded ? turn(false) : go(isBranch ? current + 1 : current)),
      ArrowLeft: () => (line.isFolded === false ? turn(true) : go(parentOf(lines, current))),
      Enter: () => isBranch && turn(!line.isFolded),
      ' ': () => isBranch && turn(!line.isFolded),
    };
    actions[event.key]?.();
  };

  return { current, setCurrent, onKeyDown };
}

function parentOf(lines: readonly JsonLine[], index: number): number {
  const depth = lines[index]?.depth ?? 0;
  const above = lines.slice(0, index).findLastIndex((line) => line.depth < depth);
  return above === -1 ? index : above;
}
