import { type ChangeEvent, type ClipboardEvent, useLayoutEffect, useRef, useState } from 'react';
import {
  type Arrival,
  arrivedAtOnce,
  caretPosition,
  type DeleteKind,
  type Edit,
  hexDigits,
  pasted,
  spacedPairs,
  typed,
} from './hex-value.ts';

interface HexEditing {
  /** Displayed digits in the chosen byte order, without spaces. */
  shown: string;
  bytes: number;
  onDigits: (digits: string) => void;
}

/** Typing and pasting in a spaced hex field: masks each keystroke and restores the caret position. */
export function useHexEditing({ shown, bytes, onDigits }: HexEditing) {
  const [problem, setProblem] = useState<string | null>(null);
  const [moves, setMoves] = useState(0);
  const pending = useRef<{ input: HTMLInputElement; position: number } | null>(null);

  useLayoutEffect(() => {
    const caret = pending.current;
    pending.current = null;
    if (caret) caret.input.setSelectionRange(caret.position, caret.position);
  }, [moves]);

  const accept = (input: HTMLInputElement, edit: Edit) => {
    setProblem(null);
    pending.current = { input, position: caretPosition(edit.caret, edit.digits.length) };
    setMoves((count) => count + 1);
    if (edit.digits !== shown) onDigits(edit.digits);
  };

  const takePasted = (input: HTMLInputElement, arrival: Arrival) => {
    const paste = pasted(shown, arrival, bytes);
    if (paste.ok) accept(input, paste.edit);
    else setProblem(paste.problem);
  };

  const onChange = (event: ChangeEvent<HTMLInputElement>) => {
    const input = event.currentTarget;
    const position = input.selectionStart ?? input.value.length;
    const arrival = arrivedAtOnce(spacedPairs(shown), input.value, position);
    if (arrival) return takePasted(input, arrival);
    accept(input, typed(shown, input.value, position, bytes, deleteKind(event.nativeEvent)));
  };

  const onPaste = (event: ClipboardEvent<HTMLInputElement>) => {
    event.preventDefault();
    const input = event.currentTarget;
    const digitsUntil = (position: number | null) => hexDigits(input.value.slice(0, position ?? 0)).length;
    takePasted(input, {
      text: event.clipboardData.getData('text'),
      from: digitsUntil(input.selectionStart),
      to: digitsUntil(input.selectionEnd),
    });
  };

  return { problem, handlers: { onChange, onPaste } };
}

function deleteKind(event: Event): DeleteKind {
  const type = 'inputType' in event ? event.inputType : '';
  if (type === 'deleteContentBackward') return 'backward';
  return type === 'deleteContentForward' ? 'forward' : 'none';
}
