import type { Page } from '@playwright/test';
import {
  clientID,
  clientSecret,
  type OpenIDProvider,
  startOpenIDProvider,
} from '../apps/server/src/testing/openid-provider.ts';
import { startHilltop } from './hilltop.ts';
import { test as base, expect } from './journey.ts';
import { drawer, main } from './steps.ts';

/** A server with a real OpenID Connect provider. */
const test = base.extend<object, { provider: OpenIDProvider }>({
  provider: [
    async ({ hilltop }, use) => {
      const provider = providers.get(hilltop.url)!;
      await use(provider);
      await provider[Symbol.asyncDispose]();
    },
    { scope: 'worker' },
  ],
  hilltop: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the needed fixtures from the pattern
    async ({}, use) => {
      const hilltop = await startHilltop(async (url) => {
        const provider = await startOpenIDProvider({ redirectURL: `${url}/auth/oidc/callback` });
        providers.set(url, provider);
        return {
          HILLTOP_OIDC_PROVIDER_URL: provider.issuer,
          HILLTOP_OIDC_CLIENT_ID: clientID,
          HILLTOP_OIDC_CLIENT_SECRET: clientSecret,
          HILLTOP_OIDC_REDIRECT_URL: `${url}/auth/oidc/callback`,
          HILLTOP_OIDC_LOGIN_LABEL: 'Sign in at the example',
          HILLTOP_OIDC_LOGOUT_URL: `${provider.issuer}/session/end`,
        };
      });
      await use(hilltop);
      await hilltop.remove();
    },
    { scope: 'worker' },
  ],
});
const providers = new Map<string, OpenIDProvider>();

// Errors of the provider's own pages and refused sign-ins are expected.
test.use({ signedIn: false, allowedErrors: /status of (400|404)|127\.0\.0\.1:\d+\/(interaction|session|favicon)/ });

async function signInAt(page: Page, provider: OpenIDProvider, name: string): Promise<void> {
  provider.people.set(name, { email: `${name}@example.org`, email_verified: true });
  // Its pages request a font from the internet.
  await page.route('https://fonts.googleapis.com/**', (route) => route.fulfill({ contentType: 'text/css', body: '' }));
  await page.goto('/login');
  await main(page).getByRole('link', { name: 'Sign in at the example' }).click();
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.locator('form[action*=interaction] button[type=submit]').click();
}

test('the button leads to the provider and back to the requested page, and signing out ends both sessions', async ({
  page,
  admin,
  provider,
}) => {
  await admin.user.create({
    user: { email: 'ada@example.org', isActive: true, isAdmin: true },
    password: 'never used',
  });
  await page.goto('/network-servers');
  await expect(page).toHaveURL(/\/login$/);
  await expect(main(page).getByRole('link', { name: 'Sign in at the example' })).toBeVisible();
  await expect(main(page).getByLabel('Password')).toHaveCount(0);
  await signInAt(page, provider, 'ada');
  await expect(page).toHaveURL(/\/network-servers$/);
  await expect(drawer(page)).toBeVisible();

  await page.getByRole('button', { name: 'Account: ada@example.org' }).click();
  await expect(page.getByRole('menuitem', { name: 'Change password' })).toHaveCount(0);
  await page.getByRole('menuitem', { name: 'Logout' }).click();
  await expect(page).toHaveURL(`${provider.issuer}/session/end`);
});

test('a user without an account gets a message and a link back', async ({ page, provider }) => {
  await signInAt(page, provider, 'stranger');
  await expect(main(page).getByRole('alert')).toHaveText(/There is no user stranger@example\.org here.*\(code: 5\)/);
  await main(page).getByRole('link', { name: 'Back to the sign-in page' }).click();
  await expect(main(page).getByRole('link', { name: 'Sign in at the example' })).toBeVisible();
});

test('a response of the provider works once, and only in the browser that requested it', async ({
  page,
  admin,
  provider,
  enterAs,
}) => {
  await admin.user.create({ user: { email: 'eve@example.org', isActive: true }, password: 'never used' });
  const arrival = page.waitForRequest(/\/login\?code=/);
  await signInAt(page, provider, 'eve');
  const address = (await arrival).url();
  await expect(page.getByRole('button', { name: 'Account: eve@example.org' })).toBeVisible();
  const other = await enterAs(null);
  await other.goto(address);
  await expect(main(other).getByRole('alert')).toHaveText(/started in another browser.*\(code: 3\)/);
  await page.goto(address);
  await expect(main(page).getByRole('alert')).toHaveText(/was already completed.*\(code: 3\)/);
});
