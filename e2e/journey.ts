import { type Client, loadClient } from '@hilltop/contract/client';
import { type BrowserContext, test as base, type Page } from '@playwright/test';
import { type Hilltop, startHilltop } from './hilltop.ts';
import { saveData } from './save-data.ts';
import { slowDown } from './slow.ts';
import { recordToasts } from './steps.ts';

export { expect } from '@playwright/test';

interface Shared {
  /** The server that all journeys of a worker share. */
  hilltop: Hilltop;
  /** The token of the first administrator, and an API client with it. */
  adminToken: string;
  admin: Client;
}

interface Journey {
  /** Console errors that the journey expects; all others fail it. */
  allowedErrors: RegExp | null;
  /**
   * Whether the console prefetches its other screens. Prefetching is half of the cost of a page, so it is on only in
   * journeys that test it.
   */
  prefetches: boolean;
  /** Starts the journey signed in as the first administrator. */
  signedIn: boolean;
  browserErrors: string[];
  /** Opens a separate browser context with this token, or without a session. */
  enterAs: (token: string | null) => Promise<Page>;
}

/** An API client with this token. */
export const clientOf = (url: string, token: string | null): Client =>
  loadClient({ fetch, baseURL: url, token: () => token });

const storage = (origin: string, jwt: string | null) => ({
  cookies: [],
  origins: jwt === null ? [] : [{ origin, localStorage: [{ name: 'jwt', value: jwt }] }],
});

/** Missing keys and sessions are answered with 404, which the browser logs as an error. */
const notYet = /status of 404 .*\/api\/devices\/[0-9a-f]{16}\/(keys|activation)\)/;

/** A header of ours that the browser does not understand; it only warns of it. */
const unknownHeader = /^Error with [\w-]+ header/;

/** Records errors of scripts, of the network and of policies, in the words of the browser. */
function listen(context: BrowserContext, browserErrors: string[]): void {
  context.on('console', (message) => {
    if (message.type() === 'error' || unknownHeader.test(message.text()))
      browserErrors.push(`${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (problem) => browserErrors.push(String(problem.error().stack)));
}

async function prepare(context: BrowserContext, prefetches: boolean): Promise<void> {
  if (!prefetches) await saveData(context);
  await recordToasts(context);
  await slowDown(context);
}

// oxlint-disable-next-line no-empty-pattern -- Playwright reads the needed fixtures from the pattern
async function startServer({}: object, use: (hilltop: Hilltop) => Promise<void>): Promise<void> {
  const hilltop = await startHilltop();
  await use(hilltop);
  await hilltop.remove();
}

export const test = base.extend<Journey, Shared>({
  hilltop: [startServer, { scope: 'worker' }],
  adminToken: [
    async ({ hilltop: { url, email, password } }, use) =>
      use((await clientOf(url, null).internal.login({ email, password })).jwt),
    { scope: 'worker' },
  ],
  admin: [async ({ hilltop, adminToken }, use) => use(clientOf(hilltop.url, adminToken)), { scope: 'worker' }],

  baseURL: async ({ hilltop }, use) => use(hilltop.url),
  allowedErrors: [null, { option: true }],
  prefetches: [false, { option: true }],
  signedIn: [true, { option: true }],
  storageState: async ({ hilltop, adminToken, signedIn }, use) =>
    use(storage(hilltop.url, signedIn ? adminToken : null)),

  context: async ({ context, prefetches }, use) => {
    await prepare(context, prefetches);
    await use(context);
  },
  browserErrors: [
    async ({ context, allowedErrors }, use) => {
      const browserErrors: string[] = [];
      listen(context, browserErrors);
      await use(browserErrors);
      const serious = browserErrors.filter((one) => !notYet.test(one) && !allowedErrors?.test(one));
      base.expect(serious, 'the browser complains about nothing').toEqual([]);
    },
    { auto: true },
  ],
  enterAs: async ({ browser, hilltop, browserErrors, prefetches }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (token) => {
      const context = await browser.newContext({
        baseURL: hilltop.url,
        storageState: storage(hilltop.url, token),
      });
      contexts.push(context);
      await prepare(context, prefetches);
      listen(context, browserErrors);
      return context.newPage();
    });
    await Promise.all(contexts.map((context) => context.close()));
  },
});

/**
 * For journeys that need an empty server of their own: one per file. Playwright reuses a worker when the fixture
 * function is the same, so each call creates a new function.
 */
export const testOnEmptyServer = () =>
  test.extend<object, Pick<Shared, 'hilltop'>>({
    // oxlint-disable-next-line no-empty-pattern -- as above
    hilltop: [async ({}, use) => startServer({}, use), { scope: 'worker' }],
  });
