import { type RefObject, useEffect, useRef } from 'react';

const isTypedIn = 'input, textarea, select, [contenteditable]';

/** Gives the focus to an element (`tabIndex={-1}`) that has appeared, unless the user is typing. */
export function useAppeared<Appeared extends HTMLElement = HTMLElement>(isWanted = true): RefObject<Appeared | null> {
  const element = useRef<Appeared>(null);
  useEffect(() => {
    if (isWanted && !document.activeElement?.matches(isTypedIn)) element.current?.focus();
  }, [isWanted]);
  return element;
}
