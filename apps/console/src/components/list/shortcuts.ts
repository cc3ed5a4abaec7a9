/** The keyboard shortcuts of lists, as the list of shortcuts shows them. */
export const listShortcuts = [
  { keys: ['/'], does: 'Search the list' },
  { keys: ['↓', '↑'], does: 'Next or previous row' },
  { keys: ['Enter'], does: 'Open the row' },
] as const;

/** Whether the key belongs to what has the focus: a field, or a dialog above the list. */
export function isTaken(event: KeyboardEvent): boolean {
  const { target } = event;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest('input, textarea, select, [role="dialog"], [role="menu"]') !== null;
}
