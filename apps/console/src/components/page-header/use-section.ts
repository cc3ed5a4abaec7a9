import { useRouterState } from '@tanstack/react-router';
import type { PageTab } from './page-tabs.tsx';

/** The label of the current tab; undefined for the first one, whose address is a prefix of the others. */
export function useSection(tabs: readonly PageTab[]): string | undefined {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  return tabs.find(({ to, exact }) => !exact && pathname.startsWith(to))?.label;
}
