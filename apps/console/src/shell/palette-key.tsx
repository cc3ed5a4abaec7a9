import { lazy, Suspense, useEffect } from 'react';

const Palette = lazy(() => import('../features/search/palette.tsx').then((m) => ({ default: m.Palette })));

interface Props {
  /** A higher number opens the palette. */
  asked: number;
  onAsk: () => void;
  /** Opens the list of keyboard shortcuts. */
  onShortcuts: () => void;
}

/** The command palette, which Ctrl+K or Cmd+K also opens. It is loaded on first use. */
export function PaletteKey({ asked, onAsk, onShortcuts }: Props) {
  useEffect(() => {
    function listen(event: KeyboardEvent) {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'k')
        return;
      event.preventDefault();
      onAsk();
    }
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [onAsk]);
  if (asked === 0) return null;
  return (
    <Suspense>
      <Palette asked={asked} onShortcuts={onShortcuts} />
    </Suspense>
  );
}
