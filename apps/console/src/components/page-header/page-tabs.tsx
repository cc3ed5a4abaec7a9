import { Tooltip } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { useLayoutEffect } from 'react';
import edges from '../scroll-edges/scroll-edges.module.css';
import { useScrollEdges } from '../scroll-edges/use-scroll-edges.ts';
import classes from './page-header.module.css';

export interface PageTab {
  label: string;
  to: string;
  /** Current only at exactly this address; for the tab whose address is a prefix of the others. */
  exact?: boolean;
  hidden?: boolean;
  /** Why the tab cannot be opened. */
  disabled?: string | undefined;
}

/** The tabs of an object's page. Each is a link with an address of its own. */
export function PageTabs({ tabs }: { tabs: readonly PageTab[] }) {
  const row = useScrollEdges<HTMLElement>();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  useLayoutEffect(() => showCurrent(row.current), [row, pathname]);
  return (
    <nav ref={row} aria-label="Sections" className={`${classes.tabs} ${edges.edges}`}>
      {tabs
        .filter(({ hidden }) => !hidden)
        .map(({ label: text, to, exact = false, disabled }) =>
          disabled === undefined ? (
            <Link
              key={to}
              to={to}
              className={classes.tab}
              activeOptions={{ exact, includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
            >
              {text}
            </Link>
          ) : (
            <Tooltip key={to} label={disabled}>
              <button type="button" className={classes.tab} aria-disabled="true">
                {text}
              </button>
            </Tooltip>
          ),
        )}
    </nav>
  );
}

/** On a phone the row is wider than the screen: the current tab is scrolled to the middle. */
function showCurrent(row: HTMLElement | null): void {
  const current = row?.querySelector<HTMLElement>('[aria-current="page"]');
  if (!row || !current) return;
  row.scrollLeft = current.offsetLeft - row.offsetLeft - (row.clientWidth - current.offsetWidth) / 2;
}
