import { useMediaQuery } from '@mantine/hooks';
import { createContext, type ReactNode, use, useState } from 'react';
import { createPortal } from 'react-dom';
import classes from './page-header.module.css';

const Foot = createContext<HTMLElement | null>(null);

/** A page with a foot below everything else, for what is seldom wanted. */
export function WithFoot({ children }: { children: ReactNode }) {
  const [foot, setFoot] = useState<HTMLElement | null>(null);
  return (
    <Foot value={foot}>
      {children}
      <div ref={setFoot} className={classes.foot} />
    </Foot>
  );
}

/** Stands where it is written at a desk, and at the foot of the page on a phone: out of reach of a thumb that wants another. */
export function AtFootOfPhone({ children }: { children: ReactNode }) {
  const foot = use(Foot);
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false }) ?? false;
  return isPhone && foot ? createPortal(children, foot) : children;
}
