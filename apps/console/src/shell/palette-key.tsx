import { lazy, Suspense } from 'react';
import { isCommand, useKey } from '../components/shortcuts/use-key.ts';

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
  useKey((event) => {
    if (!isCommand(event, 'k')) return;
    event.preventDefault();
    onAsk();
  });
  if (asked === 0) return null;
  return (
    <Suspense>
      <Palette asked={asked} onShortcuts={onShortcuts} />
    </Suspense>
  );
}
