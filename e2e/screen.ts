import type { BrowserContext, Page } from '@playwright/test';
import { saveData } from './save-data.ts';
import { main } from './steps.ts';

/** A screen to look at, with what has to be so before, and what to do there first. */
export interface Screen {
  name: string;
  address: string;
  /** Whose eyes see it; the first administrator's unless said otherwise. */
  token?: string;
  /** What must be so before the page is opened. */
  given?: (page: Page) => Promise<unknown>;
  /** What to do there before one looks. */
  before?: (page: Page) => Promise<unknown>;
  /** What it waits for never comes. */
  isWaiting?: boolean;
}

/** Opens a screen in a page of its own. */
export async function openScreen(context: BrowserContext, screen: Screen, adminToken: string): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript((jwt) => {
    if (location.protocol !== 'about:' && location.pathname !== '/login') localStorage.setItem('jwt', jwt);
  }, screen.token ?? adminToken);
  // One screen is looked at: the others are not fetched ahead.
  await saveData(page);
  await screen.given?.(page);
  await load(page, screen);
  return page;
}

/**
 * Opens screens one after the other. The console is loaded anew for each, but those that need nothing before share a page:
 * the process of a new one has everything to read and to compile again.
 */
export function screenOpener(context: BrowserContext, adminToken: string): (screen: Screen) => Promise<Page> {
  let shared: Page | undefined;
  let own: Page | undefined;
  let size: ReturnType<Page['viewportSize']> = null;
  return async (screen) => {
    await own?.close();
    own = undefined;
    if (screen.given || screen.token) {
      // It would see who else is signed in now.
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
