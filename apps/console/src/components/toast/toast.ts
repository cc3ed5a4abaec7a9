import type { ReactNode } from 'react';

export interface Toast {
  id: number;
  kind: 'success' | 'attention' | 'error';
  text: ReactNode;
  /** Replaces the usual time on screen. */
  shownMs?: number | undefined;
}

const maxToasts = 5;
let toasts: readonly Toast[] = [];
let nextID = 1;
const listeners = new Set<() => void>();

function publish(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

/**
 * A repeated message replaces its earlier toast, so its time on screen starts again. One that needs attention replaces
 * the success of the same action.
 */
function show(kind: Toast['kind'], text: ReactNode, shownMs?: number) {
  const others = toasts.filter(
    (shown) => (shown.kind !== kind || shown.text !== text) && !(kind === 'attention' && shown.kind === 'success'),
  );
  publish([...others, { id: nextID++, kind, text, shownMs }].slice(-maxToasts));
}

/** Shows a message for some seconds: `toast.success('device has been created')`. */
export const toast = {
  success: (text: ReactNode, shownMs?: number) => show('success', text, shownMs),
  attention: (text: string) => show('attention', text),
  error: (text: string) => show('error', text),
};

/** The toasts on screen, for `useSyncExternalStore`. */
export const toastStore = {
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  toasts: () => toasts,
  hide: (id: number) => publish(toasts.filter((shown) => shown.id !== id)),
};
