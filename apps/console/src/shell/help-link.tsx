import { ActionIcon } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconHelp } from '@tabler/icons-react';
import { useMatches } from '@tanstack/react-router';
import { MenuLink } from '../components/menu/menu.tsx';
import { helpFor } from './help-pages.ts';
import classes from './shell.module.css';

/** All help links share one browser tab; `rel="noopener"` would open a new one each time. */
const target = 'hilltop-help';

function useHelp() {
  const { href, title } = helpFor(useMatches().at(-1)?.fullPath ?? '/');
  return { href, label: `Help: ${title}` };
}

/** Opens the documentation of the current page. Hidden on phones, whose top bar is too narrow. */
export function HelpLink() {
  const { href, label } = useHelp();
  return (
    <ActionIcon
      component="a"
      href={href}
      className={classes.help ?? ''}
      target={target}
      size={40}
      aria-label={label}
      title={label}
    >
      <IconHelp size={20} />
    </ActionIcon>
  );
}

/** The same as an item of the account menu on phones. */
export function HelpItem() {
  const { href, label } = useHelp();
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  if (!isPhone) return null;
  return (
    <MenuLink icon={<IconHelp size={16} />} href={href} target={target}>
      {label}
    </MenuLink>
  );
}
