import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { type ComponentType, type ReactNode, Suspense } from 'react';
import { expect, it } from 'vitest';
import { lazyScreen } from '../components/lazy-screen/lazy-screen.tsx';
import { PageTabs } from '../components/page-header/page-tabs.tsx';
import { Loaded } from '../components/states/loaded.tsx';
import { Content } from './content.tsx';

const tabs = [
  { label: 'Devices', to: '/one', exact: true },
  { label: 'Groups', to: '/one/groups' },
];

/** The first section with a link, the second in a chunk of its own, with data of its own. */
async function open() {
  const chunk = Promise.withResolvers<ComponentType>();
  const answer = Promise.withResolvers<string>();
  const Groups = () => (
    <Loaded query={useQuery({ queryKey: ['groups'], queryFn: () => answer.promise })}>{(data) => <p>{data}</p>}</Loaded>
  );
  const root = createRootRoute({
    component: () => (
      <Content>
        <PageTabs tabs={tabs} />
        <Suspense>
          <Outlet />
        </Suspense>
      </Content>
    ),
  });
  const section = (path: string, component: () => ReactNode) =>
    createRoute({ getParentRoute: () => root, path, component });
  const router = createRouter({
    routeTree: root.addChildren([
      section('/one', () => <p>old</p>),
      section(
        '/one/groups',
        lazyScreen(() => chunk.promise),
      ),
    ]),
    history: createMemoryHistory({ initialEntries: ['/one'] }),
  });
  await router.load();
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { router, arrive: () => chunk.resolve(Groups), say: answer.resolve };
}

const section = () => document.querySelector('[aria-current="page"]')?.textContent;
const isBusy = () => document.querySelector('[aria-busy="true"]') !== null;
const shown = () => screen.queryByText(/^(old|new)$/)?.textContent;

it('is busy from the click until the new page has its data, and never shows the old page as the new one', async () => {
  const { router, arrive, say } = await open();
  const look = () => ({ at: router.history.location.pathname, section: section(), isBusy: isBusy(), shown: shown() });
  expect(look()).toEqual({ at: '/one', section: 'Devices', isBusy: false, shown: 'old' });
  const looks: ReturnType<typeof look>[] = [];
  new MutationObserver(() => looks.push(look())).observe(document.body, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
  });

  fireEvent.click(screen.getByRole('link', { name: 'Groups' }));
  expect(look()).toEqual({ at: '/one/groups', section: 'Groups', isBusy: true, shown: 'old' });
  await act(async () => arrive());
  await waitFor(() => expect(look()).toMatchObject({ isBusy: true, shown: undefined }));
  await act(async () => say('new'));
  await waitFor(() => expect(look()).toMatchObject({ isBusy: false, shown: 'new' }));
  expect(looks.filter((one) => !one.isBusy && one.shown !== 'new')).toEqual([]);
});
