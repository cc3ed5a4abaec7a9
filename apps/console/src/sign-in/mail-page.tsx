import { Paper, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Logo } from '../shell/logo.tsx';
import classes from './login.module.css';

/** A page that a link in a mail opens, for people who may have no account. */
export function MailPage({
  title,
  heading = 'Alerts by mail',
  children,
}: {
  title: string;
  heading?: string;
  children: ReactNode;
}) {
  return (
    <main className={classes.page}>
      <title>{`${title} · Hilltop`}</title>
      <Paper className={classes.card} p="lg" shadow="sm">
        <div className={classes.head}>
          <Logo size={36} />
          <Title order={1}>{heading}</Title>
        </div>
        <Stack mt="md">{children}</Stack>
      </Paper>
    </main>
  );
}
