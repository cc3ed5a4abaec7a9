import { ActionIcon } from '@mantine/core';
import { IconHelp } from '@tabler/icons-react';
import { useMatches } from '@tanstack/react-router';
import { helpFor } from './help-pages.ts';
import classes from './shell.module.css';

/** Opens the documentation of the current page in a tab of its own, the same tab each time. */
export function HelpLink() {
  const { href, title } = helpFor(useMatches().at(-1)?.fullPath ?? '/');
  const label = `Help: ${title}`;
  return (
    <ActionIcon
      component="a"
      href={href}
      className={classes.help ?? ''}
      target="hilltop-help"
      rel="noopener"
      size={40}
      aria-label={label}
      title={label}
    >
      <IconHelp size={20} />
    </ActionIcon>
  );
}
