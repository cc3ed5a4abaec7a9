import { useBlocker } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';

// Only the dialog is lazy: the guard must block a navigation even before the dialog is loaded.
const ConfirmDialog = lazy(() => import('../confirm/confirm-dialog.tsx').then((m) => ({ default: m.ConfirmDialog })));

interface Props {
  when: () => boolean;
  title?: string;
  question?: string;
}

/** Asks before a navigation discards form input or something else that the page would lose. */
export function UnsavedGuard({
  when,
  title = 'Leave without saving?',
  question = 'Your changes on this page are not saved.',
}: Props) {
  const { status, proceed, reset } = useBlocker({ shouldBlockFn: when, enableBeforeUnload: when, withResolver: true });
  return (
    <Suspense>
      <ConfirmDialog
        opened={status === 'blocked'}
        onClose={() => reset?.()}
        title={title}
        question={question}
        action="Leave"
        cancel="Stay"
        onConfirm={async () => proceed?.()}
      />
    </Suspense>
  );
}
