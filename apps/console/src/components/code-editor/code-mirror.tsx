import { Compartment, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { styleNonce } from '../../style-nonce.ts';
import type { EditorMark } from './editor-mark.ts';
import { editing, languageOf } from './editor-setup.ts';
import { lineMarks, setMarkedLine } from './line-mark.ts';

interface CodeMirrorProps {
  value: string;
  skeleton: string;
  language: 'javascript' | 'json';
  isReadOnly: boolean;
  onChange: (value: string) => void;
  labelledBy: string;
  describedBy: string;
  isInvalid: boolean;
  mark: EditorMark | null;
}

/** The editor itself. It imports CodeMirror: load it lazily. */
export function CodeMirror(props: CodeMirrorProps) {
  const { value, skeleton, language, isReadOnly } = props;
  const frame = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const locked = useRef(new Compartment());
  const described = useRef(new Compartment());
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });

  // The editor is created once; later values, locks and labels are applied as the transactions below.
  useEffect(() => {
    if (!frame.current) return;
    const { current } = latest;
    const changes = EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      const text = update.state.doc.toString();
      latest.current.onChange(text === latest.current.skeleton ? '' : text);
    });
    const extensions = [
      editing,
      languageOf(language),
      locked.current.of(lock(current.isReadOnly)),
      described.current.of(attributes(current)),
      changes,
      lineMarks,
      EditorView.cspNonce.of(styleNonce ?? ''),
    ];
    const editor = new EditorView({
      parent: frame.current,
      state: EditorState.create({ doc: current.value || skeleton, extensions }),
    });
    view.current = editor;
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, [language, skeleton]);

  useEffect(() => {
    view.current?.dispatch({ effects: locked.current.reconfigure(lock(isReadOnly)) });
  }, [isReadOnly]);

  const { labelledBy, describedBy, isInvalid } = props;
  useEffect(() => {
    view.current?.dispatch({
      effects: described.current.reconfigure(attributes({ labelledBy, describedBy, isInvalid })),
    });
  }, [labelledBy, describedBy, isInvalid]);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const text = editor.state.doc.toString();
    const shown = text === skeleton ? '' : text;
    if (value !== shown) editor.dispatch({ changes: { from: 0, to: text.length, insert: value || skeleton } });
  }, [value, skeleton]);

  const { mark } = props;
  useEffect(() => {
    const editor = view.current;
    if (editor) setMarkedLine(editor, mark);
  }, [mark]);

  return <div ref={frame} style={{ height: '100%' }} />;
}

function lock(isReadOnly: boolean) {
  return [EditorState.readOnly.of(isReadOnly), EditorView.editable.of(!isReadOnly)];
}

function attributes({
  labelledBy,
  describedBy,
  isInvalid,
}: Pick<CodeMirrorProps, 'labelledBy' | 'describedBy' | 'isInvalid'>) {
  return EditorView.contentAttributes.of({
    'aria-labelledby': labelledBy,
    ...(describedBy ? { 'aria-describedby': describedBy } : {}),
    ...(isInvalid ? { 'aria-invalid': 'true' } : {}),
    tabindex: '0',
  });
}
