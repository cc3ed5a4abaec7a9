import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { PageHeader } from '../components/page-header/page-header.tsx';
import { Loaded } from '../components/states/loaded.tsx';
import { Content } from './content.tsx';

const tabs = [
  { label: 'Details', to: '/one', exact: true },
  { label: 'Frames', to: '/one/frames' },
];

/** Pages with a navigation beside them; the page /later has its data once it is resolved. */
async function open() {
  const later = Promise.withResolvers<string>();
  const root = createRootRoute({
    component: () => (
      <>
        <Link to="/two">To two</Link>
        <Link to="/later">To later</Link>
        <input aria-label="Search" />
        <Content>
          <Outlet />
        </Content>
      </>
    ),
  });
  const one = createRoute({
    getParentRoute: () => root,
    path: '/one',
    component: () => (
      <>
        <PageHeader title="One" tabs={tabs} />
        <Outlet />
      </>
    ),
  });
  const frames = createRoute({ getParentRoute: () => one, path: '/frames', component: () => <p>frames</p> });
  const two = createRoute({ getParentRoute: () => root, path: '/two', component: () => <PageHeader title="Two" /> });
  const Later = () => (
    <Loaded query={useQuery({ queryKey: ['later'], queryFn: () => later.promise })}>
      {(title) => <PageHeader title={title} />}
    </Loaded>
  );
  const router = createRouter({
    routeTree: root.addChildren([
      one.addChildren([frames]),
      two,
      createRoute({ getParentRoute: () => root, path: '/later', component: Later }),
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
  await screen.findByRole('heading', { name: 'One' });
  return { router, say: later.resolve };
}

const announced = () => document.querySelector('[aria-live="polite"]')?.textContent;
const focused = () => document.activeElement?.textContent;

it('moves the focus to the heading of the new page, and announces its title', async () => {
  await open();
  expect(document.activeElement).toBe(document.body);
  expect(announced()).toBe('');
  await userEvent.click(screen.getByRole('link', { name: 'To two' }));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Two' })));
  expect(announced()).toBe('Two');
});

it('waits for the heading of a page whose data is still to come', async () => {
  const { say } = await open();
  await userEvent.click(screen.getByRole('link', { name: 'To later' }));
  expect(focused()).toBe('To later');
  await act(async () => say('At last'));
  await waitFor(() => expect(focused()).toBe('At last'));
  expect(announced()).toBe('At last');
});

it('leaves the focus in the search box when the user types before the page has its heading', async () => {
  const { say } = await open();
  await userEvent.click(screen.getByRole('link', { name: 'To later' }));
  await userEvent.type(screen.getByLabelText('Search'), 'meter');
  await act(async () => say('At last'));
  await waitFor(() => expect(announced()).toBe('At last'));
  expect(document.activeElement).toBe(screen.getByLabelText('Search'));
});

it('leaves the focus on the tab that opened another part of the page, and announces the part', async () => {
  await open();
  await userEvent.click(screen.getByRole('link', { name: 'Frames' }));
  await waitFor(() => expect(announced()).toBe('Frames · One'));
  expect(focused()).toBe('Frames');
});

it('stays silent when only the search parameters change', async () => {
  const { router } = await open();
  await act(() => router.navigate({ to: '/one', search: { page: 2 } as never }));
  expect(document.activeElement).toBe(document.body);
  expect(announced()).toBe('');
});
