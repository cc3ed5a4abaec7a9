import { useEffect, useEffectEvent } from 'react';

/** Calls `onKey` for each key that is pressed anywhere on the page. */
export function useKey(onKey: (event: KeyboardEvent) => void): void {
  const listener = useEffectEvent(onKey);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => listener(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

/** Whether the key is Ctrl or Cmd with this letter, and no other modifier. */
export function isCommand(event: KeyboardEvent, letter: string): boolean {
  return (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === letter;
}
