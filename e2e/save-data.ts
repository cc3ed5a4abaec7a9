import type { BrowserContext, Page } from '@playwright/test';

/** A browser of somebody who asks to save data: the console fetches what they open, and nothing ahead. */
export const saveData = (browser: BrowserContext | Page): Promise<unknown> =>
  browser.addInitScript(() => {
    Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true });
  });
