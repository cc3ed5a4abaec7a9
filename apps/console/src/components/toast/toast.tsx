import { CloseButton, Portal } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import classes from './toast.module.css';

interface Toast {
  id: number;
  kind: 'success' | 'error';
  text: string;
}

const shownForMs = 3000;
const mostAtOnce = 5;
let toasts: Toast[] = [];
let nextID = 1;
const watchers = new Set<() => void>();

function change(next: Toast[]) {
  toasts = next;
  for (const watcher of watchers) watcher();
}

/** The same said again takes the place of what was said before. */
function show(kind: Toast['kind'], text: string) {
  const others = toasts.filter((one) => one.kind !== kind || one.text !== text);
  change([...others, { id: nextID++, kind, text }].slice(-mostAtOnce));
}
const hide = (id: number) => change(toasts.filter((toast) => toast.id !== id));

/** Says once that something happened: `toast.success('device has been created')`. Leaves after three seconds. */
export const toast = {
  success: (text: string) => show('success', text),
  error: (text: string) => show('error', text),
};

/** The stack at the bottom left. Hovering or focusing it stops the clock of all that is shown. */
export function Toasts() {
  const shown = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => toasts,
  );
  const [held, setHeld] = useState(false);

  function close(id: number) {
    hide(id);
    // What had the pointer and the focus is gone, and tells of neither leaving.
    setHeld(false);
  }

  return (
    <Portal>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- only stops the clock, nothing to operate */}
      <section
        className={classes.stack}
        aria-label="Notifications"
        onMouseOver={() => setHeld(true)}
        onMouseLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
      >
        <output className={classes.group} aria-live="polite">
          {shown
            .filter((one) => one.kind === 'success')
            .map((one) => (
              <ToastCard key={one.id} toast={one} held={held} onClose={close} />
            ))}
        </output>
        <div role="alert" aria-live="assertive">
          {shown
            .filter((one) => one.kind === 'error')
            .map((one) => (
              <ToastCard key={one.id} toast={one} held={held} onClose={close} />
            ))}
        </div>
      </section>
    </Portal>
  );
}

interface CardProps {
  toast: Toast;
  held: boolean;
  onClose: (id: number) => void;
}

function ToastCard({ toast: { id, kind, text }, held, onClose }: CardProps) {
  const left = useRef(shownForMs);
  useEffect(() => {
    if (held) return;
    const since = performance.now();
    const timer = setTimeout(() => hide(id), left.current);
    return () => {
      clearTimeout(timer);
      left.current = Math.max(500, left.current - (performance.now() - since));
    };
  }, [held, id]);
  const Icon = kind === 'success' ? IconCircleCheck : IconAlertCircle;
  return (
    <div className={classes.toast} data-kind={kind}>
      <Icon size={20} aria-hidden />
      <span className={classes.text}>{text}</span>
      <CloseButton size="sm" aria-label="Close notification" onClick={() => onClose(id)} />
    </div>
  );
}
