/** The keyboard shortcuts of lists: `key` as events name it, and how the list of shortcuts shows it. */
export const listShortcuts = {
  search: { key: '/', shown: '/', does: 'Search the list' },
  next: { key: 'ArrowDown', shown: '↓', does: 'Go to the next row' },
  previous: { key: 'ArrowUp', shown: '↑', does: 'Go to the previous row' },
  select: { key: 'x', shown: 'x', does: 'Select the row' },
  open: { key: 'Enter', shown: 'Enter', does: 'Open the row' },
} as const;

/** Whether the key belongs to what has the focus: a field, or a dialog above the list. */
export function isTaken(event: KeyboardEvent): boolean {
  const { target } = event;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest('input, textarea, select, [role="dialog"], [role="menu"]') !== null;
}
