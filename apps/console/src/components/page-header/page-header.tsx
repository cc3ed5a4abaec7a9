import { Title } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { AppLink } from '../link/link.tsx';
import classes from './page-header.module.css';
import { type PageTab, PageTabs } from './page-tabs.tsx';

interface Props {
  /** What stands above the page, each with its address; without one where the person may not go there. */
  crumbs?: { label: string; to: string | undefined }[];
  title: string;
  badges?: ReactNode;
  actions?: ReactNode;
  /** The sections of an object's page. */
  tabs?: readonly PageTab[];
}

/** The one header of a page: breadcrumb, title, state badges, the actions on the right, tabs. Names the browser tab too. */
export function PageHeader({ crumbs = [], title, badges, actions, tabs = [] }: Props) {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const section = tabs.find(({ to, exact }) => !exact && pathname.startsWith(to))?.label;
  const words = [section, title, crumbs.at(-1)?.label, 'Hilltop'].filter(Boolean);
  return (
    <>
      <header className={classes.header}>
        <title>{words.join(' · ')}</title>
        <div className={classes.texts}>
          {crumbs.length > 0 && (
            <nav aria-label="Breadcrumb">
              <ol className={classes.crumbs}>
                {crumbs.map(({ label, to }) => (
                  <li key={label}>{to === undefined ? label : <AppLink to={to}>{label}</AppLink>}</li>
                ))}
              </ol>
            </nav>
          )}
          <div className={classes.titleLine}>
            <Title order={1} className={classes.title}>
              {title}
            </Title>
            {badges}
          </div>
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {tabs.length > 0 && <PageTabs tabs={tabs} />}
    </>
  );
}
