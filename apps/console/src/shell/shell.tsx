import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { query } from '../api/queries.ts';
import { ErrorBoundary } from '../components/error-boundary/error-boundary.tsx';
import { ErrorState } from '../components/states/states.tsx';
import { SessionProvider } from '../session/session.tsx';
import { Branding } from './branding.tsx';
import { Drawer } from './drawer.tsx';
import { Guarded } from './guarded.tsx';
import classes from './shell.module.css';
import { TopBar } from './top-bar.tsx';

/** Everything around a page while somebody is signed in: top bar, drawer, footer. */
export function Shell() {
  const profile = useQuery({ ...query('internal', 'profile', {}), staleTime: Infinity });
  const settings = useQuery({ ...query('internal', 'settings', {}), staleTime: Infinity });
  const [isOpen, setOpen] = useDrawer();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });

  if (profile.isError) {
    return (
      <main className={classes.alone}>
        <ErrorState error={profile.error} retry={() => void profile.refetch()} />
      </main>
    );
  }
  if (!profile.data || settings.isPending) return <ShellSkeleton />;
  const known = settings.data ?? profile.data.settings ?? noSettings;
  return (
    <SessionProvider profile={profile.data} settings={known}>
      <a href="#main" className={classes.skip}>
        Skip to the content
      </a>
      <div className={classes.shell} data-open={isOpen || undefined}>
        <TopBar isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
        <Drawer isOpen={isOpen} onClose={() => setOpen(false)} />
        <div className={classes.page}>
          <main id="main" className={classes.main} tabIndex={-1}>
            <ErrorBoundary key={pathname}>
              <Guarded>
                <Outlet />
              </Guarded>
            </ErrorBoundary>
          </main>
          {known.branding.footer && (
            <footer className={classes.footer}>
              <Branding html={known.branding.footer} />
            </footer>
          )}
        </div>
      </div>
    </SessionProvider>
  );
}

const noSettings = {
  branding: { footer: '', registration: '' },
  openidConnect: { enabled: false, loginURL: '', loginLabel: '', logoutURL: '' },
};

/** Open beside the page where there is room; over it, and closed again by going somewhere, on a phone. */
function useDrawer() {
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false }) ?? false;
  const [isOpen, setOpen] = useState(!isNarrow);
  const href = useRouterState({ select: ({ location }) => location.href });
  useEffect(() => setOpen(!isNarrow), [isNarrow]);
  useEffect(() => {
    if (isNarrow && href) setOpen(false);
  }, [isNarrow, href]);
  return [isOpen, setOpen] as const;
}

function ShellSkeleton() {
  return (
    <div className={classes.shell} data-open aria-busy="true">
      <div className={classes.bar} />
      <div className={classes.drawer} data-open />
    </div>
  );
}
