import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

export function languageOf(language: 'javascript' | 'json'): Extension {
  return language === 'json' ? json() : javascript();
}

// CSS variables, so that one theme serves both colour schemes and follows a switch at once.
const frame = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'transparent', color: 'var(--mantine-color-text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  // Opaque: long lines scroll below it.
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-dimmed)',
    borderRight: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--mantine-color-text) 4%, transparent)' },
  '.cm-markedLine': {
    backgroundColor: 'color-mix(in srgb, var(--state-inactive) 14%, transparent)',
    boxShadow: 'inset 3px 0 var(--state-inactive)',
  },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--mantine-color-text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--mantine-primary-color-filled) 30%, transparent)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'color-mix(in srgb, var(--mantine-primary-color-filled) 25%, transparent)',
  },
});

const colors = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.bool, tags.null],
    color: 'light-dark(var(--mantine-color-violet-8), var(--mantine-color-violet-3))',
  },
  { tag: [tags.string, tags.regexp], color: 'light-dark(var(--mantine-color-green-9), var(--mantine-color-green-3))' },
  { tag: tags.number, color: 'light-dark(var(--mantine-color-blue-8), var(--mantine-color-blue-3))' },
  {
    tag: [tags.function(tags.variableName), tags.propertyName],
    color: 'light-dark(var(--mantine-color-cyan-9), var(--mantine-color-cyan-3))',
  },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--state-inactive)' },
]);

export const editing: Extension = [
  lineNumbers(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
  EditorView.lineWrapping,
  syntaxHighlighting(colors),
  keymap.of([...defaultKeymap, ...historyKeymap]),
  frame,
];
