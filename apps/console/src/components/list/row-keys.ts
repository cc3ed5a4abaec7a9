import { type RefObject, useEffect } from 'react';
import { isTaken, listShortcuts } from './shortcuts.ts';

const steps: Readonly<Record<string, 1 | -1>> = { [listShortcuts.next.key]: 1, [listShortcuts.previous.key]: -1 };

/** What a row opens with Enter: its name, or its first control. */
const targetIn = (row: Element) =>
  row.querySelector<HTMLElement>('[data-primary] :is(a, button)') ?? row.querySelector<HTMLElement>('a, button, input');

function rowsOf(table: HTMLTableElement): Element[] {
  return [...table.querySelectorAll('tbody > tr:not([aria-hidden])')];
}

/** Moves the focus to the first row. Returns whether there is one. */
export function focusFirstRow(table: HTMLTableElement | null): boolean {
  const target =
    table &&
    rowsOf(table)
      .map(targetIn)
      .find((one) => one !== null);
  target?.focus();
  return target !== undefined && target !== null;
}

/** Arrow keys move the focus between the rows of a table; x selects the row. */
export function useRowKeys(table: RefObject<HTMLTableElement | null>): void {
  useEffect(() => {
    const shown = table.current;
    const move = (event: KeyboardEvent) => {
      if (event.key === listShortcuts.select.key && !isTaken(event)) {
        const row = (event.target as Element).closest('tr');
        row?.querySelector<HTMLInputElement>('input[type="checkbox"]')?.click();
        return;
      }
      const step = steps[event.key];
      const isBox = event.target instanceof HTMLInputElement && event.target.type === 'checkbox';
      if (!shown || !step || (isTaken(event) && !isBox)) return;
      const rows = rowsOf(shown);
      const at = rows.findIndex((row) => row.contains(event.target as Node));
      const next = at === -1 && step === 1 ? rows[0] : rows[at + step];
      const target = next && targetIn(next);
      if (!target) return;
      event.preventDefault();
      target.focus();
    };
    shown?.addEventListener('keydown', move);
    return () => shown?.removeEventListener('keydown', move);
  }, [table]);
}
