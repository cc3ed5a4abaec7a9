import { Popover } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import classes from './popup.module.css';

interface Props {
  label: string;
  onClose: () => void;
  children: ReactNode;
}

/** The box of a popup, below the element that it is rendered in. */
export function PopupBox({ label, onClose, children }: Props) {
  return (
    <Popover opened onDismiss={onClose} position="bottom-start" shadow="md" trapFocus returnFocus withRoles={false}>
      <Popover.Target>
        <span className={classes.anchor} />
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={label}>
        <Suspense fallback={<Waiting />}>{children}</Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Keeps the focus in the box until its controls are loaded. */
function Waiting() {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the focus must be somewhere in the box
    <div role="status" tabIndex={0}>
      Loading ...
    </div>
  );
}
