import { lazy, Suspense, useEffect, useState } from 'react';

const Palette = lazy(() => import('../features/search/palette.tsx').then((m) => ({ default: m.Palette })));

/** Ctrl+K, or Cmd+K, opens the palette; it is loaded when it is first asked for. */
export function PaletteKey() {
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    function listen(event: KeyboardEvent) {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'k')
        return;
      event.preventDefault();
      setAsked((times) => times + 1);
    }
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  if (asked === 0) return null;
  return (
    <Suspense>
      <Palette asked={asked} />
    </Suspense>
  );
}
