import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import classes from './menu.module.css';

interface Trigger {
  'aria-haspopup': 'menu';
  'aria-expanded': boolean;
  'aria-controls': string | undefined;
  onClick: () => void;
}

interface Props {
  /** Accessible name of the menu. */
  label: string;
  /** The edge of the button that the menu aligns with; right by default. */
  side?: 'left' | 'right';
  /** Renders the button that opens the menu. */
  trigger: (props: Trigger) => ReactNode;
  /** `MenuItem`s, and optional content above them. */
  children: ReactNode;
}

/** The least distance of a menu from the edges of the window. */
const margin = 16;

/** Moves an open menu sideways into the window: the list around it cuts off what is outside. */
function useInWindow(isOpen: boolean) {
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!isOpen || !menu.current) return;
    const { left, right } = menu.current.getBoundingClientRect();
    const tooFar = Math.max(0, right - (document.documentElement.clientWidth - margin));
    const shift = Math.max(margin - left, 0) || -tooFar;
    if (shift !== 0) menu.current.style.transform = `translateX(${shift}px)`;
  }, [isOpen]);
  return menu;
}

/**
 * A button with a menu below it: arrow keys move; Escape and leaving close it (the menu button pattern of WAI-ARIA).
 */
export function Menu({ label, side = 'right', trigger, children }: Props) {
  const id = useId();
  const anchor = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const menu = useInWindow(isOpen);
  const items = () => [...(anchor.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];

  useEffect(() => {
    if (isOpen) items()[0]?.focus();
  }, [isOpen]);

  function close() {
    setOpen(false);
    anchor.current?.querySelector<HTMLElement>('[aria-haspopup]')?.focus();
  }

  function onKeyDown(event: KeyboardEvent) {
    const all = items();
    const at = all.findIndex((item) => item === document.activeElement);
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    const to = steps[event.key];
    if (event.key === 'Escape' && isOpen) close();
    else if (!isOpen && event.key === 'ArrowDown') setOpen(true);
    else if (isOpen && to !== undefined) all.at(to % all.length)?.focus();
    else return;
    event.preventDefault();
  }

  function onBlur({ relatedTarget }: FocusEvent) {
    if (!anchor.current?.contains(relatedTarget)) setOpen(false);
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- handles the keys of the button and its items
    <div ref={anchor} className={classes.place} onKeyDown={onKeyDown} onBlur={onBlur}>
      {trigger({
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        'aria-controls': isOpen ? id : undefined,
        onClick: () => setOpen(!isOpen),
      })}
      {isOpen && (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- its items are buttons
        <div
          ref={menu}
          id={id}
          role="menu"
          aria-label={label}
          data-side={side}
          className={classes.menu}
          onClick={close}
        >
          {children}
        </div>
      )}
    </div>
  );
}

interface MenuLinkProps {
  icon: ReactNode;
  href: string;
  /** Name of the browser tab that opens it. */
  target: string;
  children: ReactNode;
}

export function MenuLink({ icon, href, target, children }: MenuLinkProps) {
  return (
    <a role="menuitem" tabIndex={-1} className={classes.item} href={href} target={target} rel="noopener">
      {icon}
      {children}
    </a>
  );
}

interface ItemProps {
  icon?: ReactNode;
  children: ReactNode;
  onChoose: () => void;
  /** For one of several exclusive choices: whether it is selected. */
  isChosen?: boolean;
  mark?: ReactNode;
}

export function MenuItem({ icon, children, onChoose, isChosen, mark }: ItemProps) {
  return (
    <button
      type="button"
      role={isChosen === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={isChosen}
      tabIndex={-1}
      className={classes.item}
      onClick={onChoose}
    >
      {icon}
      {children}
      {isChosen && <span className={classes.mark}>{mark}</span>}
    </button>
  );
}
