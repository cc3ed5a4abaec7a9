import { type KeyboardEvent, useEffect, useId, useState } from 'react';

interface Asked {
  /** The text that the options match; a new text resets the active option. */
  text: string;
  /** The keys of the options, in display order. */
  keys: readonly string[];
  isOpen: boolean;
  /** Enter selects the first option even when none is active; otherwise the text box handles Enter. */
  takesFirst?: boolean;
  onChoose: (key: string) => void;
  onClose: () => void;
  /** Called when an arrow key is pressed while the list is closed. */
  onOpen?: () => void;
}

/**
 * A list of options below a text box that keeps the focus: arrow keys move, Enter selects, Escape closes, and
 * `aria-activedescendant` names the active option (the combobox pattern of WAI-ARIA).
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
    // Moving beyond either end returns to the text box, where Enter does not select an option.
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
      // The text box keeps the focus.
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
