import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { EditorMark } from './editor-mark.ts';

const setLine = StateEffect.define<number | null>();
const markedLine = Decoration.line({ class: 'cm-markedLine' });

/** The marked line of an editor. It follows its text while the text is edited. */
export const lineMarks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    const set = transaction.effects.findLast((effect) => effect.is(setLine));
    if (!set) return marks.map(transaction.changes);
    return set.value === null ? Decoration.none : Decoration.set([markedLine.range(set.value)]);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Marks a line, or none. A mark with `focus` moves the cursor and the focus to it. */
export function setMarkedLine(editor: EditorView, mark: EditorMark | null): void {
  const { doc } = editor.state;
  if (!mark || mark.line < 1 || mark.line > doc.lines) return editor.dispatch({ effects: setLine.of(null) });
  const { from, length } = doc.line(mark.line);
  editor.dispatch({ effects: setLine.of(from) });
  if (!mark.focus) return;
  const anchor = from + Math.min(Math.max(mark.column - 1, 0), length);
  editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
  editor.focus();
}
