import { type Client, loadClient } from '@hilltop/contract/client';
import { type BrowserContext, test as base, type Page } from '@playwright/test';
import { type Hilltop, startHilltop } from './hilltop.ts';
import { saveData } from './save-data.ts';
import { slowDown } from './slow.ts';
import { writeDownWhatIsTold } from './steps.ts';

export { expect } from '@playwright/test';

interface Shared {
  /** The server of all journeys of this worker that do not stop it. */
  hilltop: Hilltop;
  /** The first administrator's token, and the API with it. */
  adminToken: string;
  admin: Client;
}

interface Journey {
  /** What the browser may say on its console in this journey; everything else it complains about fails it. */
  forgiven: RegExp | null;
  /**
   * Whether the console fetches its other screens while nothing else happens. That is half of what a page costs, and as
   * it costs the same each time, only journeys that are about it pay for it.
   */
  fetchesAhead: boolean;
  /** Starts the journey signed in as the first administrator. */
  signedIn: boolean;
  complaints: string[];
  /** Opens a browser of its own for the person with this token, or for somebody who is not signed in. */
  enterAs: (token: string | null) => Promise<Page>;
}

/** The API as the person with this token may use it. */
export const clientOf = (url: string, token: string | null): Client =>
  loadClient({ fetch, baseURL: url, token: () => token });

const storage = (origin: string, jwt: string | null) => ({
  cookies: [],
  origins: jwt === null ? [] : [{ origin, localStorage: [{ name: 'jwt', value: jwt }] }],
});

/** Keys and a session that a device does not have yet are answered with 404, which the browser logs as an error. */
const notYet = /status of 404 .*\/api\/devices\/[0-9a-f]{16}\/(keys|activation)\)/;

/** Takes down errors of scripts, of the network and of the content security policy, as the browser words them. */
function listen(context: BrowserContext, complaints: string[]): void {
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (problem) => complaints.push(String(problem.error().stack)));
}

async function prepare(context: BrowserContext, fetchesAhead: boolean): Promise<void> {
  if (!fetchesAhead) await saveData(context);
  await writeDownWhatIsTold(context);
  await slowDown(context);
}

// oxlint-disable-next-line no-empty-pattern -- Playwright reads from the pattern what a fixture needs
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
  forgiven: [null, { option: true }],
  fetchesAhead: [false, { option: true }],
  signedIn: [true, { option: true }],
  storageState: async ({ hilltop, adminToken, signedIn }, use) =>
    use(storage(hilltop.url, signedIn ? adminToken : null)),

  context: async ({ context, fetchesAhead }, use) => {
    await prepare(context, fetchesAhead);
    await use(context);
  },
  complaints: [
    async ({ context, forgiven }, use) => {
      const complaints: string[] = [];
      listen(context, complaints);
      await use(complaints);
      const serious = complaints.filter((one) => !notYet.test(one) && !forgiven?.test(one));
      base.expect(serious, 'the browser complains about nothing').toEqual([]);
    },
    { auto: true },
  ],
  enterAs: async ({ browser, hilltop, complaints, fetchesAhead }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (token) => {
      const context = await browser.newContext({
        baseURL: hilltop.url,
        storageState: storage(hilltop.url, token),
      });
      contexts.push(context);
      await prepare(context, fetchesAhead);
      listen(context, complaints);
      return context.newPage();
    });
    await Promise.all(contexts.map((context) => context.close()));
  },
});

/**
 * For journeys that want a server to themselves, empty at first: each file has its own. To Playwright fixtures are the same,
 * and so are their workers, when their function is.
 */
export const testOnEmptyServer = () =>
  test.extend<object, Pick<Shared, 'hilltop'>>({
    // oxlint-disable-next-line no-empty-pattern -- as above
    hilltop: [async ({}, use) => startServer({}, use), { scope: 'worker' }],
  });
