import { type RefObject, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import classes from './list.module.css';

interface Shown {
  cells: readonly Element[];
  lines: readonly string[];
  left: number;
  top: number;
}

/** A fraction of a pixel is no hidden text. */
const overflows = (element: Element) => element.scrollWidth > element.clientWidth + 1;
const isCut = (cell: Element) => overflows(cell) || [...cell.querySelectorAll('[data-cut]')].some(overflows);
const textOf = (cell: Element) => cell.textContent.trim();

function at(cells: readonly Element[], lines: readonly string[]): Shown | null {
  const first = cells[0];
  if (!first) return null;
  const { left, bottom } = first.getBoundingClientRect();
  return { cells, lines, left, top: bottom };
}

/** The text of cells that do not show all of it: of the cell under the pointer, or of the row that has the focus. */
export function TruncatedText({ table }: { table: RefObject<HTMLTableElement | null> }) {
  const [shown, setShown] = useState<Shown | null>(null);
  useEffect(() => {
    const one = table.current;
    if (!one) return;
    const stop = new AbortController();
    const listen = <K extends keyof HTMLElementEventMap>(type: K, act: (event: HTMLElementEventMap[K]) => void) =>
      one.addEventListener(type, act, { signal: stop.signal });
    const hide = () => setShown(null);
    listen('mouseover', ({ target }) => {
      const cell = (target as Element).closest('td');
      setShown(cell && isCut(cell) ? at([cell], [textOf(cell)]) : null);
    });
    listen('focusin', ({ target }) => {
      const element = target as Element;
      if (!element.matches(':focus-visible')) return;
      const cells = [...(element.closest('tbody > tr')?.querySelectorAll('td') ?? [])].filter(isCut);
      const labelled = cells.map((cell) => [cell.dataset['label'], textOf(cell)].filter(Boolean).join(': '));
      setShown(at(cells, cells.length === 1 ? cells.map(textOf) : labelled));
    });
    listen('mouseleave', hide);
    listen('focusout', hide);
    listen('keydown', ({ key }) => key === 'Escape' && hide());
    const follow = () => setShown((now) => now && at(now.cells, now.lines));
    addEventListener('scroll', follow, { signal: stop.signal, passive: true, capture: true });
    return () => stop.abort();
  }, [table]);
  if (!shown) return null;
  const { lines, left, top } = shown;
  return createPortal(
    // The cells themselves have the whole text for screen readers.
    <div className={classes.whole} aria-hidden style={{ left: Math.min(left, innerWidth - 200), top }}>
      {lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
    </div>,
    document.body,
  );
}
