import { lazy, type ReactNode, Suspense, type SyntheticEvent, useState } from 'react';
import classes from './popup.module.css';

// Loaded on demand: the library that positions boxes is larger than a list.
const PopupBox = lazy(() => import('./popup-box.tsx').then((m) => ({ default: m.PopupBox })));

interface Trigger {
  'aria-haspopup': 'dialog';
  'aria-expanded': boolean;
  onClick: () => void;
  onMouseDown: (event: SyntheticEvent) => void;
  onTouchStart: (event: SyntheticEvent) => void;
}

interface Props {
  /** Accessible name of the box. */
  label: string;
  /** Renders the button that opens the box. */
  trigger: (props: Trigger) => ReactNode;
  children: (close: () => void) => ReactNode;
}

/** A button with a box of controls below it. Escape and a click outside close it. */
export function Popup({ label, trigger, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  // The box must not take a click on its button for one outside: it would close, and the button open it again.
  const keep = (event: SyntheticEvent) => {
    if (isOpen) event.stopPropagation();
  };
  return (
    <span className={classes.place}>
      {trigger({
        'aria-haspopup': 'dialog',
        'aria-expanded': isOpen,
        onClick: () => setOpen(!isOpen),
        onMouseDown: keep,
        onTouchStart: keep,
      })}
      {isOpen && (
        <Suspense>
          <PopupBox label={label} onClose={close}>
            {children(close)}
          </PopupBox>
        </Suspense>
      )}
    </span>
  );
}
