import { Alert, Button, Group, Paper, Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { IconAlertCircle, IconCompass, IconLock, IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { explain } from '../../api/explain.ts';
import { paths } from '../../paths.ts';
import { LinkButton } from '../link/link.tsx';
import classes from './states.module.css';

/** An empty list or section: what it is for, and the next step. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={classes.state}>
      {icon && <div className={classes.icon}>{icon}</div>}
      <Text fw={600}>{title}</Text>
      {children && (
        <Text c="dimmed" maw={460}>
          {children}
        </Text>
      )}
      {action && <Group mt="xs">{action}</Group>}
    </div>
  );
}

/** An error in place, with a retry button. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <Alert color="red" icon={<IconAlertCircle />} title="This could not be loaded" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{explain(error)}</Text>
        {retry && (
          <Button variant="default" size="xs" leftSection={<IconRefresh size={14} />} onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** An error beside the form or button that caused it; renders nothing without one. */
export function InlineError({ error }: { error: unknown }) {
  if (!error) return null;
  return (
    <Alert color="red" icon={<IconAlertCircle />} role="alert" p="xs">
      {explain(error)}
    </Alert>
  );
}

/** The skeleton of a form. */
export function FormSkeleton({ fields = 4 }: { fields?: number }) {
  return (
    <Paper className={classes.form} aria-busy="true">
      <VisuallyHidden>Loading</VisuallyHidden>
      <Stack gap="lg">
        {Array.from({ length: fields }, (_, index) => (
          <div key={`field-${index + 1}`}>
            <Skeleton height={14} width={140} mb={8} />
            <Skeleton height={36} />
          </div>
        ))}
      </Stack>
    </Paper>
  );
}

/** The skeleton of a form with a page header above it. */
export function FormPageSkeleton({ hasFacts = false }: { hasFacts?: boolean }) {
  return (
    <>
      <Stack gap={10} mb="md" aria-hidden>
        <Skeleton height={13} width={120} />
        <Skeleton height={22} width={240} />
        {hasFacts && <Skeleton height={14} width={420} maw="100%" />}
      </Stack>
      <FormSkeleton />
    </>
  );
}

function Page({
  icon,
  title,
  children,
  action,
}: {
  icon: ReactNode;
  title: string;
  children: ReactNode;
  action: ReactNode;
}) {
  return (
    <div className={classes.page}>
      <title>{`${title} · Hilltop`}</title>
      <div className={classes.icon}>{icon}</div>
      <Title order={1}>{title}</Title>
      <Text c="dimmed" maw={460}>
        {children}
      </Text>
      <Group>{action}</Group>
    </div>
  );
}

/** An error in place of a whole page. */
export function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <Page
      icon={<IconAlertCircle size={32} />}
      title="This could not be loaded"
      action={
        <Button leftSection={<IconRefresh size={16} />} onClick={retry}>
          Try again
        </Button>
      }
    >
      <span role="alert">{explain(error)}</span>
    </Page>
  );
}

export function NoPermission() {
  return (
    <Page
      icon={<IconLock size={32} />}
      title="No permission"
      action={<LinkButton to={paths.start()}>Go to the start page</LinkButton>}
    >
      Your account does not have permission for this page. Ask an administrator for the required role.
    </Page>
  );
}

export function NotFound() {
  return (
    <Page
      icon={<IconCompass size={32} />}
      title="Page not found"
      action={<LinkButton to={paths.start()}>Go to the start page</LinkButton>}
    >
      This page does not exist. The object may have been deleted, or the link may be incomplete.
    </Page>
  );
}
