import { lazy, Suspense, useEffect } from 'react';
import { isTaken } from '../components/list/shortcuts.ts';

const ShortcutsDialog = lazy(() =>
  import('../components/shortcuts/shortcuts-dialog.tsx').then((m) => ({ default: m.ShortcutsDialog })),
);

/** The list of keyboard shortcuts, which `?` also opens. It is loaded on first use. */
export function ShortcutsKey({ asked, onAsk }: { asked: number; onAsk: () => void }) {
  useEffect(() => {
    function listen(event: KeyboardEvent) {
      if (event.key !== '?' || isTaken(event)) return;
      event.preventDefault();
      onAsk();
    }
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [onAsk]);
  if (asked === 0) return null;
  return (
    <Suspense>
      <ShortcutsDialog asked={asked} />
    </Suspense>
  );
}
