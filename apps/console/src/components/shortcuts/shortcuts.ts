import { listShortcuts } from '../list/shortcuts.ts';

interface Shortcut {
  /** Alternatives, each as `keyLabel` takes it. */
  keys: readonly string[];
  does: string;
}

interface ShortcutGroup {
  label: string;
  shortcuts: readonly Shortcut[];
}

/** All keyboard shortcuts of the console. */
export const shortcutGroups: readonly ShortcutGroup[] = [
  {
    label: 'Everywhere',
    shortcuts: [
      { keys: ['mod+k'], does: 'Search or go to a page' },
      { keys: ['?'], does: 'List the keyboard shortcuts' },
      { keys: ['Esc'], does: 'Close a dialog, a menu or suggestions' },
    ],
  },
  {
    label: 'Lists',
    shortcuts: Object.values(listShortcuts).map(({ shown, does }) => ({ keys: [shown], does })),
  },
  {
    label: 'Forms',
    shortcuts: [
      { keys: ['mod+s'], does: 'Save and stay on the page' },
      { keys: ['mod+Enter'], does: 'Run the codec in the codec bench' },
    ],
  },
];
