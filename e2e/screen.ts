import type { BrowserContext, Page } from '@playwright/test';
import { removeMocks } from './mocked-response.ts';
import { saveData } from './save-data.ts';
import { main } from './steps.ts';

/** A screen to check or to photograph, with its preparation. */
export interface Screen {
  name: string;
  address: string;
  /** The user's token; the first administrator's by default. */
  token?: string;
  /** Preparation before the page is opened. */
  given?: (page: Page) => Promise<unknown>;
  /** Steps on the page before it is checked. */
  before?: (page: Page) => Promise<unknown>;
  /** Its request never completes: the skeleton is the subject. */
  isWaiting?: boolean;
}

/** Opens a screen in a page of its own. */
export async function openScreen(context: BrowserContext, screen: Screen, adminToken: string): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript((jwt) => {
    if (location.protocol !== 'about:' && location.pathname !== '/login') localStorage.setItem('jwt', jwt);
  }, screen.token ?? adminToken);
  // Only one screen is needed, so the others are not prefetched.
  await saveData(page);
  await screen.given?.(page);
  await load(page, screen);
  return page;
}

/**
 * Opens screens one after the other. The console is reloaded for each, but screens of the same user share a page, because
 * a new process would have to load and compile everything again. Their preparation consists of routes only.
 */
export function screenOpener(context: BrowserContext, adminToken: string): (screen: Screen) => Promise<Page> {
  let shared: Page | undefined;
  let own: Page | undefined;
  let size: ReturnType<Page['viewportSize']> = null;
  return async (screen) => {
    await own?.close();
    own = undefined;
    if (screen.token) {
      // A shared page would notice the other user's token.
      await shared?.goto('about:blank');
      own = await openScreen(context, screen, adminToken);
      return own;
    }
    if (!shared) {
      shared = await openScreen(context, screen, adminToken);
      size = shared.viewportSize();
      return shared;
    }
    await shared.setViewportSize(size!);
    await shared.emulateMedia({ colorScheme: 'light' });
    await shared.unrouteAll({ behavior: 'ignoreErrors' });
    await removeMocks(shared);
    await screen.given?.(shared);
    await load(shared, screen);
    return shared;
  };
}

async function load(page: Page, { address, before, isWaiting = false }: Screen): Promise<void> {
  await page.goto(address);
  if (isWaiting) await main(page).locator('[aria-busy="true"]').first().waitFor();
  else {
    await main(page).getByRole('heading', { level: 1 }).waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  }
  await before?.(page);
}
