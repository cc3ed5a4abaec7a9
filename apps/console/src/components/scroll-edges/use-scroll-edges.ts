import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** Marks on which sides a scrollable row has more content, as `data-before` and `data-after`. */
export function useScrollEdges<Row extends HTMLElement>(): RefObject<Row | null> {
  const row = useRef<Row>(null);
  // Read in the next frame, which lays the page out anyway; reading it here would force another layout.
  useLayoutEffect(() => {
    const frame = requestAnimationFrame(() => mark(row.current));
    return () => cancelAnimationFrame(frame);
  });
  useEffect(() => {
    const element = row.current;
    if (!element) return;
    const look = () => mark(element);
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      watcher.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  return row;
}

function mark(row: HTMLElement | null): void {
  if (!row) return;
  // Widths are rounded: the end may be one pixel off.
  row.toggleAttribute('data-before', row.scrollLeft > 1);
  row.toggleAttribute('data-after', row.scrollLeft + row.clientWidth < row.scrollWidth - 1);
  // Without links or boxes in it, the keyboard could not scroll it.
  const needsFocus = row.scrollWidth > row.clientWidth + 1 && !row.querySelector('a, button, input');
  if (needsFocus) row.tabIndex = 0;
  else row.removeAttribute('tabindex');
}
