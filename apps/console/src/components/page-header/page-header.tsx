import { Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { AppLink } from '../link/link.tsx';
import classes from './page-header.module.css';

interface Props {
  /** What stands above the page, each with its address; without one where the person may not go there. */
  crumbs?: { label: string; to: string | undefined }[];
  title: string;
  badges?: ReactNode;
  actions?: ReactNode;
}

/** The one header of a page: breadcrumb, title, state badges, and the actions on the right. Names the browser tab too. */
export function PageHeader({ crumbs = [], title, badges, actions }: Props) {
  const context = crumbs.at(-1)?.label;
  return (
    <header className={classes.header}>
      <title>{`${title}${context ? ` · ${context}` : ''} · Hilltop`}</title>
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
  );
}
