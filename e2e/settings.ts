import type { Page } from '@playwright/test';
import { mockResponse } from './mocked-response.ts';

/** Mocks the settings endpoint. */
export const withSettings = (settings: object) => (page: Page) =>
  mockResponse(page, '/api/internal/settings', {
    status: 200,
    body: { branding: { registration: '', footer: '' }, openidConnect: {}, ...settings },
  });

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
