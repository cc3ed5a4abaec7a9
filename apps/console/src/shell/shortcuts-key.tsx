import { lazy, Suspense } from 'react';
import { isTaken } from '../components/list/shortcuts.ts';
import { useKey } from '../components/shortcuts/use-key.ts';

const ShortcutsDialog = lazy(() =>
  import('../components/shortcuts/shortcuts-dialog.tsx').then((m) => ({ default: m.ShortcutsDialog })),
);

/** The list of keyboard shortcuts, which `?` also opens. It is loaded on first use. */
export function ShortcutsKey({ asked, onAsk }: { asked: number; onAsk: () => void }) {
  useKey((event) => {
    if (event.key !== '?' || isTaken(event)) return;
    event.preventDefault();
    onAsk();
  });
  if (asked === 0) return null;
  return (
    <Suspense>
      <ShortcutsDialog asked={asked} />
    </Suspense>
  );
}
