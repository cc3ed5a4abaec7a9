import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './side-panel.module.css';

interface Props {
  title: string;
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog at the right edge that leaves the page beside it visible; on a phone a sheet like other dialogs. */
export function SidePanel({ children, ...rest }: Props) {
  return (
    <Modal
      {...rest}
      classNames={{ inner: classes.inner ?? '', content: classes.content ?? '' }}
      overlayProps={{ backgroundOpacity: 0.15 }}
      transitionProps={{ transition: 'slide-left' }}
    >
      {children}
    </Modal>
  );
}
