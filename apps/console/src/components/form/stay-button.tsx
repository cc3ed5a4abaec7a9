import { Button, Kbd } from '@mantine/core';
import { useEffect, useEffectEvent, useRef } from 'react';
import { keyLabel } from '../shortcuts/key-label.ts';
import classes from './form.module.css';
import type { StayButtonProps } from './message-form.tsx';

/** Saves the form around it without leaving the page: on a click, and on Ctrl+S or Cmd+S. */
export function StayButton({ disabled, onSave }: StayButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== 's') return;
    const focused = document.activeElement?.closest('form, [role=dialog]');
    if (focused && focused !== button.current?.form) return;
    event.preventDefault();
    onSave();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
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
