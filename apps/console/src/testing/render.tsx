import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { Toasts } from '../components/toast/toasts.tsx';
import { searchParameters } from '../search-parameters.ts';
import { theme } from '../theme/theme.ts';

/** Notifications may have links, as in the console. */
function Page({ children }: { children: ReactNode }) {
  return (
    <>
      {children}
      <Toasts />
    </>
  );
}

/** Renders an element as a page of the console at an address; resolves when it is mounted. */
export async function renderPage(element: ReactNode, address = '/') {
  const root = createRootRoute();
  const page = createRoute({ getParentRoute: () => root, path: '$', component: () => <Page>{element}</Page> });
  const router = createRouter({
    routeTree: root.addChildren([page]),
    history: createMemoryHistory({ initialEntries: [address] }),
    ...searchParameters,
  });
  await router.load();
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const view = render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { ...view, router };
}
