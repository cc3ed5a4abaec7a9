import { CloseButton, Portal } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { type Toast, toastStore } from './toast.ts';
import classes from './toasts.module.css';

const shownForMs = { success: 3000, attention: 10_000, error: 3000 } as const satisfies Record<Toast['kind'], number>;
/** Least time a toast stays after the pointer has left it. */
const minRemainingMs = 500;

interface Props {
  /** The navigation is open; the toasts must not cover it. */
  besideNavigation?: boolean;
}

/** The stack of toasts at the bottom left. Their timers pause while the pointer or the focus is on one of them. */
export function Toasts({ besideNavigation = false }: Props) {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.toasts);
  const [isPaused, setPaused] = useState(false);

  function close(id: number) {
    toastStore.hide(id);
    // The removed element held the pointer and the focus, and fires neither mouseleave nor blur.
    setPaused(false);
  }

  const cardsOf = (kind: Toast['kind']) =>
    toasts
      .filter((toast) => toast.kind === kind)
      .map((toast) => <ToastCard key={toast.id} toast={toast} isPaused={isPaused} onClose={close} />);

  return (
    <Portal>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it only pauses the timers, there is nothing to operate */}
      <section
        className={classes.stack}
        data-beside-navigation={besideNavigation || undefined}
        aria-label="Notifications"
        onMouseOver={() => setPaused(true)}
        onMouseLeave={() => setPaused(false)}
        onFocus={() => setPaused(true)}
        onBlur={() => setPaused(false)}
      >
        <output className={classes.group} aria-live="polite">
          {cardsOf('success')}
          {cardsOf('attention')}
        </output>
        <div role="alert" aria-live="assertive">
          {cardsOf('error')}
        </div>
      </section>
    </Portal>
  );
}

interface CardProps {
  toast: Toast;
  isPaused: boolean;
  onClose: (id: number) => void;
}

function ToastCard({ toast: { id, kind, text, shownMs }, isPaused, onClose }: CardProps) {
  const remainingMs = useRef<number>(shownMs ?? shownForMs[kind]);
  useEffect(() => {
    if (isPaused) return;
    const startedAt = performance.now();
    const timer = setTimeout(() => toastStore.hide(id), remainingMs.current);
    return () => {
      clearTimeout(timer);
      remainingMs.current = Math.max(minRemainingMs, remainingMs.current - (performance.now() - startedAt));
    };
  }, [isPaused, id]);
  const Icon = kind === 'success' ? IconCircleCheck : IconAlertCircle;
  return (
    <div className={classes.toast} data-kind={kind}>
      <Icon size={20} aria-hidden />
      <span className={classes.text}>{text}</span>
      <CloseButton size="sm" aria-label="Close notification" onClick={() => onClose(id)} />
    </div>
  );
}
