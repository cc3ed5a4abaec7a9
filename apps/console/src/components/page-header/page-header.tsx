import { Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { AppLink } from '../link/link.tsx';
import classes from './page-header.module.css';
import { type PageTab, PageTabs } from './page-tabs.tsx';
import { useSection } from './use-section.ts';

interface Props {
  /** The breadcrumbs, each with its address; without one where the user has no permission. */
  crumbs?: { label: string; to: string | undefined }[];
  title: string;
  badges?: ReactNode;
  actions?: ReactNode;
  /** Facts below the title, on every tab. */
  facts?: ReactNode;
  /** The sections of an object's page. */
  tabs?: readonly PageTab[];
}

/**
 * The header of a page: breadcrumbs, title, status badges, actions on the right, facts, tabs. Also sets the title of
 * the browser tab.
 */
export function PageHeader({ crumbs = [], title, badges, actions, facts, tabs = [] }: Props) {
  const section = useSection(tabs);
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
        {facts && <div className={classes.factLine}>{facts}</div>}
      </header>
      {tabs.length > 0 && <PageTabs tabs={tabs} />}
    </>
  );
}
