import type { BrowserContext, Page } from '@playwright/test';

/** Makes the browser ask to save data, so that the console does not prefetch. */
export const saveData = (browser: BrowserContext | Page): Promise<unknown> =>
  browser.addInitScript(() => {
    Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true });
  });
