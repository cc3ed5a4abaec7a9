import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from '../confirm/confirm-dialog.tsx';

interface Props {
  when: () => boolean;
  title?: string;
  question?: string;
}

/** Asks before a navigation throws away what was typed, or something else that is lost with the page. */
export function UnsavedGuard({
  when,
  title = 'Leave without saving?',
  question = 'The changes you made on this page are not saved.',
}: Props) {
  const { status, proceed, reset } = useBlocker({ shouldBlockFn: when, enableBeforeUnload: when, withResolver: true });
  return (
    <ConfirmDialog
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title={title}
      question={question}
      action="Leave"
      cancel="Stay"
      onConfirm={async () => proceed?.()}
    />
  );
}
