import { Alert, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconAlertCircle, IconCompass, IconLock, IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { explain } from '../../api/explain.ts';
import { paths } from '../../paths.ts';
import { LinkButton } from '../link/link.tsx';
import classes from './states.module.css';

/** A list or a section with nothing in it yet: what the thing is for, and the next step. */
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

/** What went wrong, in place, with a way to try again. */
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

/** An error beside the form or button that caused it; renders nothing while there is none. */
export function InlineError({ error }: { error: unknown }) {
  if (!error) return null;
  return (
    <Alert color="red" icon={<IconAlertCircle />} role="alert" p="xs">
      {explain(error)}
    </Alert>
  );
}

/** Grey lines in the shape of a form while its values are on the way. */
export function FormSkeleton({ fields = 4 }: { fields?: number }) {
  return (
    <Stack gap="lg" maw={720} aria-busy="true" aria-label="Loading">
      {Array.from({ length: fields }, (_, index) => (
        <div key={`field-${index + 1}`}>
          <Skeleton height={14} width={140} mb={8} />
          <Skeleton height={36} />
        </div>
      ))}
    </Stack>
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

export function NoPermission() {
  return (
    <Page
      icon={<IconLock size={32} />}
      title="No permission"
      action={<LinkButton to={paths.start()}>Go to the start page</LinkButton>}
    >
      Your account may not see this page. An administrator can give it the role this needs.
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
      There is nothing at this address. The object may have been deleted, or the link may be incomplete.
    </Page>
  );
}
