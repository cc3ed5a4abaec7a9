import { ActionIcon } from '@mantine/core';
import { IconLayoutSidebarLeftCollapse, IconMenu2 } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { paths } from '../paths.ts';
import { HelpLink } from './help-link.tsx';
import { Logo } from './logo.tsx';
import { optionalPart } from './optional-part.ts';
import { SearchBox } from './search-box.tsx';
import classes from './shell.module.css';
import { ThemeSwitch } from './theme-switch.tsx';
import { UserMenu } from './user-menu.tsx';

const JobProgress = optionalPart(() => import('../components/job/job-progress.tsx').then((m) => m.JobProgress));

interface Props {
  isOpen: boolean;
  onToggle: () => void;
  onPalette: () => void;
  onShortcuts: () => void;
}

export function TopBar({ isOpen, onToggle, onPalette, onShortcuts }: Props) {
  return (
    <header className={classes.bar}>
      <ActionIcon
        size={40}
        aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
        aria-expanded={isOpen}
        aria-controls="navigation"
        onClick={onToggle}
      >
        {isOpen ? <IconLayoutSidebarLeftCollapse size={20} /> : <IconMenu2 size={20} />}
      </ActionIcon>
      <Link to={paths.start()} className={classes.home} aria-label="Hilltop, start page">
        <Logo />
        <span>Hilltop</span>
      </Link>
      <SearchBox onPalette={onPalette} />
      <div className={classes.right}>
        <Suspense>
          <JobProgress />
        </Suspense>
        <HelpLink />
        <ThemeSwitch />
        <UserMenu onShortcuts={onShortcuts} />
      </div>
    </header>
  );
}
