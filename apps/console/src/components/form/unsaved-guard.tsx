import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from '../confirm/confirm-dialog.tsx';

/** Asks before a navigation throws away what was typed. */
export function UnsavedGuard({ when }: { when: () => boolean }) {
  const { status, proceed, reset } = useBlocker({ shouldBlockFn: when, enableBeforeUnload: when, withResolver: true });
  return (
    <ConfirmDialog
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title="Leave without saving?"
      question="The changes you made on this page are not saved."
      action="Leave"
      cancel="Stay"
      onConfirm={async () => proceed?.()}
    />
  );
}
