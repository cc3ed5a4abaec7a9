import type { BrowserContext, Page } from '@playwright/test';
import { payByTheByte } from './pay-by-the-byte.ts';
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
export async function openScreen(
  context: BrowserContext,
  { address, token, given, before, isWaiting = false }: Screen,
  adminToken: string,
): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript((jwt) => {
    if (location.pathname !== '/login') localStorage.setItem('jwt', jwt);
  }, token ?? adminToken);
  // One screen is looked at: the others are not fetched ahead.
  await payByTheByte(page);
  await given?.(page);
  await page.goto(address);
  if (isWaiting) await main(page).locator('[aria-busy="true"]').first().waitFor();
  else {
    await main(page).getByRole('heading', { level: 1 }).waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  }
  await before?.(page);
  return page;
}
