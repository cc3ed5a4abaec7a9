import { screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { queryClient } from '../api/query-client.ts';
import { renderPage } from '../testing/render.tsx';
import { Login } from './login.tsx';

const { settings, openIDConnectLogin, getSignInPage, isOffered } = vi.hoisted(() => ({
  settings: vi.fn(),
  openIDConnectLogin: vi.fn(),
  getSignInPage: vi.fn(),
  isOffered: vi.fn(),
}));
vi.mock(import('../api/client.ts'), async (original) => {
  const client = await original();
  const internal = { ...client.api.internal, settings, openIDConnectLogin };
  const session = { getSignInPage: Object.assign(getSignInPage, { isOffered }) };
  return { ...client, api: { ...client.api, internal, session } as unknown as typeof client.api };
});

const noBranding = { footer: '', registration: '' };
const provider = {
  enabled: true,
  loginURL: '/auth/oidc/login',
  loginLabel: 'Sign in with Acme',
  logoutURL: '',
};
const withProvider = { branding: noBranding, openidConnect: provider };
const withPasswords = { ...withProvider, openidConnect: { ...provider, enabled: false } };

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  queryClient.clear();
  isOffered.mockResolvedValue(false);
});
afterEach(() => vi.clearAllMocks());

it('offers the provider instead of passwords when single sign-on is enabled', async () => {
  settings.mockResolvedValue(withProvider);
  await renderPage(<Login />, '/login');
  const button = await screen.findByRole('link', { name: 'Sign in with Acme' });
  expect(button.getAttribute('href')).toBe('/auth/oidc/login');
  expect(screen.queryByLabelText(/Password/)).toBeNull();
});

it('exchanges code and state once and opens the start page', async () => {
  settings.mockResolvedValue(withProvider);
  openIDConnectLogin.mockResolvedValue({ jwtToken: 'fresh' });
  const { router } = await renderPage(<Login />, '/login?code=abc&state=xyz');
  await waitFor(() => expect(router.state.location.href).toBe('/'));
  expect(openIDConnectLogin.mock.calls).toEqual([[{ code: 'abc', state: 'xyz' }]]);
  expect(localStorage.getItem('jwt')).toBe('fresh');
});

it('shows why a sign-on failed, with a link back', async () => {
  settings.mockResolvedValue(withProvider);
  openIDConnectLogin.mockRejectedValue(new Error('This sign-on is too old.'));
  await renderPage(<Login />, '/login?code=abc&state=xyz');
  expect(await screen.findByText('This sign-on is too old.')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Back to the sign-in page' }).getAttribute('href')).toBe('/login');
});

it('shows that the provider refused, in its own words and without a call to the server', async () => {
  settings.mockResolvedValue(withProvider);
  await renderPage(<Login />, '/login?error=access_denied&error_description=Call+0900');
  expect(await screen.findByText(/The sign-in provider did not let you in/)).toBeTruthy();
  expect(screen.queryByText(/0900/)).toBeNull();
  expect(openIDConnectLogin).not.toHaveBeenCalled();
});

it('removes the old token, and sanitises the registration text', async () => {
  localStorage.setItem('jwt', 'old');
  const registration = '<b>Ask us</b> for an account.<script>alert(1)</script><img src="x" onerror="alert(1)">';
  settings.mockResolvedValue({ ...withPasswords, branding: { ...noBranding, registration } });
  await renderPage(<Login />, '/login');
  expect((await screen.findByText('Ask us')).localName).toBe('b');
  expect(document.querySelector('main script, main [onerror]')).toBeNull();
  expect(screen.getByLabelText(/Password/, { selector: 'input' })).toBeTruthy();
  expect(localStorage.getItem('jwt')).toBeNull();
});

it('has the focus in the user name', async () => {
  settings.mockResolvedValue(withPasswords);
  await renderPage(<Login />, '/login');
  const name = await screen.findByLabelText(/Username/);
  await waitFor(() => expect(document.activeElement).toBe(name));
});

it('names the installation, by its host name when it has no other', async () => {
  settings.mockResolvedValue(withPasswords);
  isOffered.mockResolvedValue(true);
  getSignInPage.mockResolvedValue({ installationName: '', isFirstStart: false });
  const { unmount } = await renderPage(<Login />, '/login');
  expect(await screen.findByText('localhost')).toBeTruthy();
  unmount();
  queryClient.clear();
  getSignInPage.mockResolvedValue({ installationName: 'North valley', isFirstStart: false });
  await renderPage(<Login />, '/login');
  expect(await screen.findByText('North valley')).toBeTruthy();
  expect(screen.queryByText('localhost')).toBeNull();
  expect(screen.queryByRole('region', { name: 'First start' })).toBeNull();
});

it('says on the first start where the password is printed', async () => {
  settings.mockResolvedValue(withPasswords);
  isOffered.mockResolvedValue(true);
  getSignInPage.mockResolvedValue({ installationName: '', isFirstStart: true });
  await renderPage(<Login />, '/login');
  const hint = await screen.findByRole('region', { name: 'First start' });
  expect(hint.textContent).toContain('HILLTOP_ADMIN_PASSWORD');
});

it('asks a server that does not tell about the installation for nothing', async () => {
  settings.mockResolvedValue(withPasswords);
  await renderPage(<Login />, '/login');
  expect(await screen.findByLabelText(/Password/, { selector: 'input' })).toBeTruthy();
  expect(screen.getByText('localhost')).toBeTruthy();
  expect(getSignInPage).not.toHaveBeenCalled();
});
