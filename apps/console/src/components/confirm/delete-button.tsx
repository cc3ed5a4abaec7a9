import { Button, Text, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { AtFootOfPhone } from '../page-header/page-foot.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import classes from './delete-button.module.css';

interface Props {
  /** The specification's sentence: "Are you sure you want to delete this gateway?" */
  question: string;
  /** The name of the object. */
  name: string;
  mustType?: boolean;
  /** Why this user may not delete the object; the button is then disabled and shows the reason. */
  disabledReason?: string | undefined;
  label?: string;
  /** What is deleted along with the object; rendered when the dialog opens. */
  note?: ReactNode;
  onDelete: () => Promise<unknown>;
  /** Called after the deletion; navigates away. */
  onDone: () => void;
}

/** An inconspicuous delete button: red only on hover and in the dialog that it opens. */
export function DeleteButton({
  question,
  name,
  mustType = false,
  disabledReason,
  label = 'Delete',
  note,
  onDelete,
  onDone,
}: Props) {
  const [opened, setOpened] = useState(false);
  const button = (
    <Button
      className={classes.quiet ?? ''}
      variant="subtle"
      color="gray"
      leftSection={<IconTrash size={16} />}
      aria-disabled={disabledReason !== undefined}
      {...(disabledReason !== undefined && { 'data-disabled': true })}
      onClick={() => disabledReason === undefined && setOpened(true)}
    >
      {label}
    </Button>
  );
  return (
    <>
      <AtFootOfPhone>
        {disabledReason === undefined ? button : <Tooltip label={disabledReason}>{button}</Tooltip>}
      </AtFootOfPhone>
      <ConfirmDialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={`${label} ${name}?`}
        question={question}
        name={name}
        mustType={mustType}
        action={label}
        onConfirm={async () => {
          await onDelete();
          onDone();
        }}
      >
        {note && (
          <Text component="div" c="dimmed">
            {note}
          </Text>
        )}
      </ConfirmDialog>
    </>
  );
}
