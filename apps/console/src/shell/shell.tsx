import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useCallback, useDeferredValue, useState } from 'react';
import { api } from '../api/client.ts';
import { query } from '../api/queries.ts';
import { ErrorBoundary } from '../components/error-boundary/error-boundary.tsx';
import { ErrorState } from '../components/states/states.tsx';
import { Toasts } from '../components/toast/toasts.tsx';
import { SessionProvider } from '../session/session.tsx';
import { knownSettings } from '../session/settings.ts';
import { AccessGuard } from './access-guard.tsx';
import { Branding } from './branding.tsx';
import { Content } from './content.tsx';
import { Drawer } from './drawer.tsx';
import { IntegrityAlert } from './integrity-alert.tsx';
import { Logo } from './logo.tsx';
import { OutageAlert } from './outage-alert.tsx';
import { PaletteKey } from './palette-key.tsx';
import { SessionEnd } from './session-end.tsx';
import classes from './shell.module.css';
import { ShortcutsKey } from './shortcuts-key.tsx';
import { TopBar } from './top-bar.tsx';
import { useFetchAhead } from './use-fetch-ahead.ts';

// Every page needs these as soon as the profile is loaded.
void api.preload('organization', 'delivery');

/** The frame around all pages of a signed-in user: top bar, navigation, footer. */
export function Shell() {
  // Permissions change while the console is open.
  const profile = useQuery({
    ...query('internal', 'profile', {}),
    staleTime: Infinity,
    refetchOnWindowFocus: 'always',
    refetchInterval: 60_000,
  });
  const settings = useQuery({ ...query('internal', 'settings', {}), staleTime: Infinity });
  const [isOpen, setOpen] = useDrawer();
  const [palette, askForPalette] = useAsked();
  const [shortcuts, askForShortcuts] = useAsked();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  useFetchAhead();
  // A response renders synchronously unless deferred: then React renders in slices, between which a slow phone can
  // paint and respond.
  const isKnown = useDeferredValue(profile.data !== undefined && !settings.isPending, false);

  if (profile.isLoadingError) {
    return (
      <main className={classes.alone}>
        <ErrorState error={profile.error} retry={() => void profile.refetch()} />
      </main>
    );
  }
  if (!profile.data || !isKnown) return <ShellSkeleton />;
  const known = knownSettings(settings.data ?? profile.data.settings);
  return (
    <SessionProvider profile={profile.data} settings={known}>
      <PaletteKey asked={palette} onAsk={askForPalette} onShortcuts={askForShortcuts} />
      <ShortcutsKey asked={shortcuts} onAsk={askForShortcuts} />
      <SessionEnd />
      <a href="#main" className={classes.skip}>
        Skip to the content
      </a>
      <div className={classes.shell} data-open={isOpen || undefined}>
        <TopBar
          isOpen={isOpen}
          onToggle={() => setOpen(!isOpen)}
          onPalette={askForPalette}
          onShortcuts={askForShortcuts}
        />
        <Drawer isOpen={isOpen} onClose={() => setOpen(false)} />
        <div className={classes.page}>
          <Content>
            <ErrorBoundary>
              <OutageAlert />
              {profile.data.user.isAdmin && <IntegrityAlert />}
            </ErrorBoundary>
            <ErrorBoundary resetKey={pathname}>
              <AccessGuard>
                <Outlet />
              </AccessGuard>
            </ErrorBoundary>
          </Content>
          {known.branding.footer && (
            <footer className={classes.footer}>
              <Branding html={known.branding.footer} />
            </footer>
          )}
        </div>
      </div>
      <Toasts besideNavigation={isOpen} />
    </SessionProvider>
  );
}

/** How often something was asked for, and a way to ask for it again. */
function useAsked() {
  const [asked, setAsked] = useState(0);
  const ask = useCallback(() => setAsked((times) => times + 1), []);
  return [asked, ask] as const;
}

/**
 * Beside the page on wide screens; on phones over it, and closed by navigation. A manual choice applies until the width
 * class or, on a phone, the address changes.
 */
function useDrawer() {
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false }) ?? false;
  const href = useRouterState({ select: ({ location }) => location.href });
  const pageKey = isNarrow ? href : 'wide';
  const [chosen, setChosen] = useState<{ pageKey: string; isOpen: boolean } | null>(null);
  const isOpen = chosen?.pageKey === pageKey ? chosen.isOpen : !isNarrow;
  return [isOpen, (next: boolean) => setChosen({ pageKey, isOpen: next })] as const;
}

function ShellSkeleton() {
  return (
    <div className={classes.shell} data-open aria-busy="true">
      <div className={classes.bar}>
        <span className={`${classes.home} ${classes.early}`}>
          <Logo />
          <span>Hilltop</span>
        </span>
      </div>
      <div className={classes.drawer} data-open />
    </div>
  );
}
