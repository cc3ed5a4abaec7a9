import { useMediaQuery } from '@mantine/hooks';
import { createContext, type ReactNode, use, useState } from 'react';
import { createPortal } from 'react-dom';
import classes from './page-header.module.css';

const Foot = createContext<HTMLElement | null>(null);

/** A page with a footer below everything else, for rare actions. */
export function WithFoot({ children }: { children: ReactNode }) {
  const [foot, setFoot] = useState<HTMLElement | null>(null);
  return (
    <Foot value={foot}>
      {children}
      <div ref={setFoot} className={classes.foot} />
    </Foot>
  );
}

/** Rendered in place on a desktop, and in the footer of the page on a phone, away from frequent buttons. */
export function AtFootOfPhone({ children }: { children: ReactNode }) {
  const foot = use(Foot);
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false }) ?? false;
  return isPhone && foot ? createPortal(children, foot) : children;
}
