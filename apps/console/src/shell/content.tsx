import { useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { WithFoot } from '../components/page-header/page-foot.tsx';
import classes from './shell.module.css';

/**
 * The main part of the shell. Busy from the click that leads to another page until that page is here: meanwhile the
 * address and the navigation are of the new page already, and what can be seen is of the old.
 */
export function Content({ children }: { children: ReactNode }) {
  const isGoing = useRouterState({ select: ({ status }) => status === 'pending' });
  return (
    <main id="main" className={classes.main} tabIndex={-1} aria-busy={isGoing}>
      <WithFoot>{children}</WithFoot>
    </main>
  );
}
