import { Button, Group, Text, Title } from '@mantine/core';
import { IconAlertCircle, IconCompass, IconLock, IconRefresh } from '@tabler/icons-react';
import { Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { explain } from '../../api/explain.ts';
import { paths } from '../../paths.ts';
import { useSession } from '../../session/session.tsx';
import { LinkButton } from '../link/link.tsx';
import classes from './states.module.css';

/** An error in place of a whole page. */
export function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <StatePage
      icon={<IconAlertCircle size={32} />}
      title="This could not be loaded"
      action={
        <Button leftSection={<IconRefresh size={16} />} onClick={retry}>
          Try again
        </Button>
      }
    >
      <span role="alert">{explain(error)}</span>
    </StatePage>
  );
}

export function NoPermission({ reason = '' }: { reason?: string }) {
  if (reason === 'PASSWORD_GENERATED') return <PasswordGenerated />;
  if (reason === 'SECOND_FACTOR_REQUIRED')
    return (
      <StatePage
        icon={<IconLock size={32} />}
        title="Second factor required"
        action={<LinkButton to={paths.accountSecurity()}>Set up a second factor</LinkButton>}
      >
        This server requires a second factor of your account. Set it up to go on.
      </StatePage>
    );
  return (
    <StatePage
      icon={<IconLock size={32} />}
      title="No permission"
      action={<LinkButton to={paths.start()}>Go to the start page</LinkButton>}
    >
      Your account does not have permission for this page. Ask an administrator for the required role.
    </StatePage>
  );
}

/** Nothing else is possible until then. */
function PasswordGenerated() {
  const { user } = useSession();
  return <Navigate to={paths.userPassword(user.id)} search={{ why: 'generated' } as never} replace />;
}

/** A message in place of a whole page. */
function StatePage({
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

export function NotFound() {
  return (
    <StatePage
      icon={<IconCompass size={32} />}
      title="Page not found"
      action={<LinkButton to={paths.start()}>Go to the start page</LinkButton>}
    >
      This page does not exist. The object may have been deleted, or the link may be incomplete.
    </StatePage>
  );
}
