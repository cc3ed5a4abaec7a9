import { listShortcuts } from '../list/shortcuts.ts';

interface Shortcut {
  /** The keys as `Ctrl K` or as a single character; `mod` is Ctrl or, on Apple keyboards, Cmd. */
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
  { label: 'Lists', shortcuts: listShortcuts },
  {
    label: 'Forms',
    shortcuts: [{ keys: ['mod+s'], does: 'Save and stay on the page' }],
  },
];

const isApple = /mac|iphone|ipad/i.test(navigator.platform);

/** A key as labelled on this keyboard: `Ctrl K` or `⌘ K`. */
export const keyLabel = (key: string): string =>
  key
    .split('+')
    .map((part) => (part === 'mod' ? (isApple ? '⌘' : 'Ctrl') : part.length === 1 ? part.toUpperCase() : part))
    .join(' ');
