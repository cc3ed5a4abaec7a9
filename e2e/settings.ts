import type { Page } from '@playwright/test';

/** Mocks the settings endpoint. */
export const withSettings = (settings: object) => (page: Page) =>
  page.route('**/api/internal/settings', (route) =>
    route.fulfill({ json: { branding: { registration: '', footer: '' }, openidConnect: {}, ...settings } }),
  );

export const branding = {
  registration: 'No account yet? <a href="https://example.org">Ask the network team</a> for one.',
  footer: 'Operated by <b>Example Networks</b> · <a href="https://example.org/status">Status</a>',
};
export const provider = {
  enabled: true,
  loginURL: '/auth/oidc/login',
  loginLabel: 'Sign in with Example',
  logoutURL: '',
};
