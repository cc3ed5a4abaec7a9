import { type RefObject, useEffect } from 'react';
import { focusFirstRow } from './row-keys.ts';
import { isTaken, listShortcuts } from './shortcuts.ts';

/** Nothing that uses arrow keys has the focus: after navigation it is on the page or on its heading. */
const isAtRest = ({ target }: KeyboardEvent) =>
  target === document.body || (target instanceof HTMLElement && target.tagName === 'H1');

/** `/` focuses the search box of the list, and the down arrow its first row, from the search box as well. */
export function useListKeys(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const act = (event: KeyboardEvent) => {
      const search = list.current?.querySelector<HTMLInputElement>('input[type="search"]');
      const table = list.current?.querySelector('table') ?? null;
      if (event.key === listShortcuts.search.key && search && !isTaken(event)) {
        event.preventDefault();
        search.focus();
        search.select();
      } else if (event.key === listShortcuts.next.key && !event.defaultPrevented) {
        const isAsked = event.target === search || (isAtRest(event) && !isTaken(event));
        if (isAsked && focusFirstRow(table)) event.preventDefault();
      }
    };
    document.addEventListener('keydown', act);
    return () => document.removeEventListener('keydown', act);
  }, [list]);
}
