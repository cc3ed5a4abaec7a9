import { Button, Kbd } from '@mantine/core';
import { useRef } from 'react';
import { keyLabel } from '../shortcuts/key-label.ts';
import { isCommand, useKey } from '../shortcuts/use-key.ts';
import classes from './form.module.css';
import type { StayButtonProps } from './message-form.tsx';

/** Saves the form around it without leaving the page: on a click, and on Ctrl+S or Cmd+S. */
export function StayButton({ disabled, onSave }: StayButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useKey((event) => {
    if (!isCommand(event, 's')) return;
    const focused = document.activeElement?.closest('form, [role=dialog]');
    if (focused && focused !== button.current?.form) return;
    event.preventDefault();
    onSave();
  });
  return (
    <Button
      ref={button}
      disabled={disabled}
      onClick={onSave}
      className={classes.stay ?? ''}
      variant="default"
      aria-keyshortcuts="Control+S Meta+S"
      rightSection={
        <Kbd size="xs" className={classes.key ?? ''} aria-hidden>
          {keyLabel('mod+s')}
        </Kbd>
      }
    >
      Save and stay
    </Button>
  );
}
