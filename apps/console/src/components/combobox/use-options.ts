import { type KeyboardEvent, useEffect, useId, useState } from 'react';

interface Asked {
  /** The text the options answer: another one makes moving start afresh. */
  text: string;
  /** What can be chosen, in the order of the screen. */
  keys: readonly string[];
  isOpen: boolean;
  /** Enter takes the first option until another is moved to; else it is left to the box. */
  takesFirst?: boolean;
  onChoose: (key: string) => void;
  onClose: () => void;
  /** An arrow key was pressed while the list was closed. */
  onOpen?: () => void;
}

/**
 * A list of options under a text box that keeps the focus: arrow keys move, Enter chooses, Escape closes, and a screen
 * reader is told which option is the active one from the start (the combobox pattern of ARIA).
 */
export function useOptions({ text, keys, isOpen, takesFirst = false, onChoose, onClose, onOpen }: Asked) {
  const listID = useId();
  const [moved, setMoved] = useState<{ text: string; to: string | undefined }>();
  const at = moved?.text === text && moved.to !== undefined ? keys.indexOf(moved.to) : -1;
  const active = at < 0 && takesFirst && keys.length > 0 ? 0 : at;
  const activeID = isOpen && active >= 0 ? `${listID}-${active}` : undefined;

  useEffect(() => {
    if (activeID) document.getElementById(activeID)?.scrollIntoView({ block: 'nearest' });
  }, [activeID]);

  function move(by: 1 | -1) {
    if (!isOpen) return onOpen?.();
    // Beyond either end lies the box itself, where Enter is not a choice.
    const places = takesFirst ? keys.length : keys.length + 1;
    if (places === 0) return;
    const from = takesFirst ? active : active + 1;
    const to = (from + by + places) % places;
    setMoved({ text, to: keys[takesFirst ? to : to - 1] });
  }

  function onKeyDown(event: KeyboardEvent) {
    const key = keys[active];
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Escape' && isOpen) onClose();
    else if (event.key === 'Enter' && isOpen && key !== undefined) onChoose(key);
    else return;
    event.preventDefault();
  }

  return {
    box: {
      role: 'combobox',
      'aria-autocomplete': 'list',
      'aria-expanded': isOpen,
      'aria-controls': isOpen ? listID : undefined,
      'aria-activedescendant': activeID,
      autoComplete: 'off',
      onKeyDown,
    },
    list: {
      role: 'listbox',
      id: listID,
      // The box keeps the focus.
      onMouseDown: (event: { preventDefault: () => void }) => event.preventDefault(),
    },
    option: (key: string) => {
      const index = keys.indexOf(key);
      return {
        role: 'option',
        id: `${listID}-${index}`,
        'aria-selected': index === active,
        onClick: () => onChoose(key),
      };
    },
  } as const;
}
