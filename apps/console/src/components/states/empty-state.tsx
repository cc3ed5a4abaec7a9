import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
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
