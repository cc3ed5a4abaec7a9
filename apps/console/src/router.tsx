import { Stack } from '@mantine/core';
import { type AnyRoute, createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { lazyScreen } from './components/lazy-screen/lazy-screen.tsx';
import { reloadConsole, ScreenFailure } from './components/lazy-screen/screen-failure.ts';
import { ErrorState } from './components/states/states.tsx';
import { paths } from './paths.ts';
import { searchParameters } from './search-parameters.ts';
import { signOut } from './session/sign-out.ts';
import { readToken, rememberWanted } from './session/storage.ts';

const NotFound = lazyScreen(() => import('./components/states/error-pages.tsx').then((m) => m.NotFound));

/** Pages that links in mails open, for people who may have no account. */
const mailPages = new Map([
  [paths.confirmAddress(), lazyScreen(() => import('./sign-in/confirm-address.tsx').then((m) => m.ConfirmAddress))],
  [paths.unsubscribe(), lazyScreen(() => import('./sign-in/unsubscribe.tsx').then((m) => m.Unsubscribe))],
  [paths.invitation(), lazyScreen(() => import('./sign-in/invitation.tsx').then((m) => m.Invitation))],
]);

/** Sign-in and, once they are loaded, the routes behind it. */
function routeTree(signedInRoutes?: (root: AnyRoute) => AnyRoute): AnyRoute {
  const root = createRootRoute({
    beforeLoad: async ({ location }) => {
      if (location.pathname === paths.login() || mailPages.has(location.pathname)) return;
      if (readToken() === null) {
        if (location.pathname !== paths.start()) rememberWanted(location.href, 'not-signed-in');
        throw redirect({ to: paths.login() });
      }
      if (signedInRoutes) return;
      await addSignedInRoutes();
      throw redirect({ href: location.href, replace: true });
    },
    component: Outlet,
    notFoundComponent: NotFound,
    errorComponent: ({ error, reset }) => (
      <Stack component="main" p="md">
        <ErrorState error={error} retry={() => (error instanceof ScreenFailure ? void reloadConsole() : reset())} />
      </Stack>
    ),
  });
  const login = createRoute({
    getParentRoute: () => root,
    path: paths.login(),
    component: lazyScreen(() => import('./sign-in/login.tsx').then((m) => m.Login)),
    onEnter: (): void => signOut(router.latestLocation.state.leaveFor),
  });
  const linked = [...mailPages].map(([path, component]) =>
    createRoute({ getParentRoute: () => root, path, component }),
  );
  return root.addChildren([login, ...linked, ...(signedInRoutes ? [signedInRoutes(root)] : [])]);
}

export const router = createRouter({
  routeTree: routeTree(),
  defaultPreload: 'intent',
  scrollRestoration: true,
  ...searchParameters,
});

/** Loads the routes behind the sign-in; the first screen does without them. */
export async function addSignedInRoutes(): Promise<void> {
  const { signedInRoutes } = await import('./routes.tsx').catch((cause: unknown) => {
    throw new ScreenFailure(cause);
  });
  router.update({ ...router.options, routeTree: routeTree(signedInRoutes) });
}
