import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { whenSignedOut } from './api/client.ts';
import { queryClient } from './api/query-client.ts';
import { paths } from './paths.ts';
import { router } from './router.tsx';
import { clearToken, hasLeft, rememberWanted } from './session/storage.ts';
import { styleNonce } from './style-nonce.ts';
import { colorSchemeManager, cssVariables, theme } from './theme/theme.ts';

whenSignedOut(() => {
  const { pathname, href } = router.state.location;
  if (pathname === paths.login()) return;
  // Sign-in returns to this page only when the session ended without a sign-out.
  if (!hasLeft()) rememberWanted(href, hasUnsaved() ? 'ended-unsaved' : 'ended');
  clearToken();
  void router.navigate({ to: paths.login(), ignoreBlocker: true });
});

/** Whether a component of the page would object to closing the tab. */
const hasUnsaved = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }));

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce ?? ''}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
