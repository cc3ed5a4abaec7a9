import type { Profile, Settings } from '@hilltop/contract';
import { screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { SessionProvider } from '../session/session.tsx';
import { renderPage } from '../testing/render.tsx';
import { AccessGuard } from './access-guard.tsx';

const { get } = vi.hoisted(() => ({ get: vi.fn() }));
vi.mock(import('../api/client.ts'), async (original) => {
  const client = await original();
  const organization = { get: Object.assign(get, { choices: async () => ['limits'] }) };
  return { ...client, api: { organization } as unknown as typeof client.api };
});
afterEach(() => vi.clearAllMocks());

const user = { id: '7', email: 'a@b.c', isAdmin: false, isActive: true, note: '', sessionTTL: 0 };
const member = {
  organizationID: '3',
  organizationName: 'acme',
  isAdmin: false,
  isDeviceAdmin: false,
  isGatewayAdmin: false,
  createdAt: null,
  updatedAt: null,
};

const open = (rights: object, address = '/organizations/3') =>
  renderPage(
    <SessionProvider profile={{ user, organizations: [{ ...member, ...rights }] } as Profile} settings={{} as Settings}>
      <AccessGuard>The page</AccessGuard>
    </SessionProvider>,
    address,
  );

it('renders the page of an organization once the restrictions of the member are known', async () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  get.mockReturnValue(promise);
  await open({});
  await vi.waitFor(() => expect(get).toHaveBeenCalled());
  expect(screen.queryByText('The page')).toBeNull();
  expect(screen.getByText('Loading')).toBeTruthy();
  resolve({ organization: { id: '3' }, limits: { isReadOnly: false, applicationIDs: ['1'] } });
  expect(await screen.findByText('The page')).toBeTruthy();
});

it('renders the pages of administrators, and those outside an organization, at once', async () => {
  get.mockReturnValue(new Promise(() => {}));
  const { unmount } = await open({ isAdmin: true });
  expect(await screen.findByText('The page')).toBeTruthy();
  unmount();
  await open({}, '/account');
  expect(await screen.findByText('The page')).toBeTruthy();
});
