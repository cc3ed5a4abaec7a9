import { VisuallyHidden } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import { WithFoot } from '../components/page-header/page-foot.tsx';
import classes from './shell.module.css';
import { useHeadingFocus } from './use-heading-focus.ts';

/**
 * The main part of the shell. It is busy from a click until the new page is rendered: until then the address and the
 * navigation belong to the new page, and the visible content to the old one.
 */
export function Content({ children }: { children: ReactNode }) {
  const isGoing = useRouterState({ select: ({ status }) => status === 'pending' });
  const main = useRef<HTMLElement>(null);
  const title = useHeadingFocus(main);
  return (
    <>
      <VisuallyHidden aria-live="polite">{title}</VisuallyHidden>
      <main ref={main} id="main" className={classes.main} tabIndex={-1} aria-busy={isGoing}>
        <WithFoot>{children}</WithFoot>
      </main>
    </>
  );
}
