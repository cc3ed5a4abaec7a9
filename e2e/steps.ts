import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test';

/** Common steps, in the terms of the screen. */
export const main = (page: Page): Locator => page.getByRole('main');
export const drawer = (page: Page): Locator => page.getByRole('navigation', { name: 'Main' });
export const button = (page: Page, name: string): Locator => main(page).getByRole('button', { name, exact: true });
export const textbox = (page: Page, name: string): Locator => main(page).getByRole('textbox', { name, exact: true });
/** An input with its tools: byte order, random value, copy. */
export const group = (page: Page, name: string): Locator => main(page).getByRole('group', { name, exact: true });
/** Switches and check boxes include their help text in their accessible name. */
export const toggle = (page: Page, name: string): Locator => main(page).getByRole('switch', { name });

export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await textbox(page, 'Username / email').fill(email);
  await textbox(page, 'Password').fill(password);
  await button(page, 'Login').click();
}

/** Waits until the first page after sign-in is loaded. */
export async function hasLanded(page: Page): Promise<void> {
  await expect(main(page).getByRole('heading', { level: 1 })).toBeVisible();
  await isLoaded(page);
}

/**
 * Follows a link and waits until the new page has replaced the old one, which may have a link or button with the same
 * name as the next step needs.
 */
export async function follow(page: Page, link: Locator): Promise<void> {
  const address = await link.evaluate((anchor) => new URL((anchor as HTMLAnchorElement).href).pathname);
  await link.click();
  await page.waitForURL(({ pathname }) => pathname === address, { waitUntil: 'commit' });
  await isLoaded(page);
}

/** Follows the link of this name on the page. */
export const followTo = (page: Page, name: string): Promise<void> =>
  follow(page, main(page).getByRole('link', { name, exact: true }));

/** Opens a navigation entry and waits for its page. */
export async function goTo(page: Page, entry: string, heading = entry): Promise<void> {
  await follow(page, drawer(page).getByRole('link', { name: entry, exact: true }));
  await expect(main(page).getByRole('heading', { name: heading, level: 1 })).toBeVisible();
}

const between = '/search';

/** Opens an address by client-side navigation, without waiting for its page. */
export const navigate = (page: Page, address: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, address);

/**
 * Opens an address by client-side navigation, or by loading the console if the page is blank, and waits for its page.
 */
export async function visit(page: Page, address: string): Promise<void> {
  const heading = main(page).getByRole('heading', { level: 1 });
  if (page.url() === 'about:blank') {
    await page.goto(address);
    return hasLanded(page);
  }
  // Via a known page, so that the previous page cannot be mistaken for the new one.
  for (const step of [between, address]) {
    await navigate(page, step);
    const title = /^Search$/;
    await heading.filter(step === between ? { hasText: title } : { hasNotText: title }).waitFor();
  }
  await isLoaded(page);
}

/** Waits until no navigation and no skeleton is pending. */
export const isLoaded = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);

/** Waits until the console has prefetched all screens. */
export const hasPrefetched = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => performance.getEntriesByName('fetched-ahead').length > 0);

/** A tab below the title of a page. */
export const section = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true });
export async function openSection(page: Page, name: string): Promise<void> {
  await follow(page, section(page, name));
  await expect(section(page, name)).toHaveAttribute('aria-current', 'page');
}

/** A section of a form: a tab, or in a wide window an entry of the list beside the form. */
export async function openTab(page: Page, name: string): Promise<void> {
  const entries = main(page).getByRole('navigation', { name: 'Sections of the form' }).getByRole('button', { name });
  const section = main(page).getByRole('tab', { name }).or(entries);
  await section.click();
  await expect(section.and(page.locator('[aria-selected=true], [aria-current=true]'))).toBeVisible();
}

/** An empty list has two create links: at the top and in the middle. */
export const startCreating = (page: Page, name = 'Create'): Promise<void> =>
  follow(page, main(page).getByRole('link', { name, exact: true }).first());

export async function choose(page: Page, label: string, option: string | RegExp): Promise<void> {
  await main(page).getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('listbox', { name: label }).getByRole('option', { name: option, exact: true }).click();
}

/**
 * Replaces the text of a code editor. It is emptied first: when Chromium types over highlighted text it adds inline
 * styles, which the content security policy reports.
 */
export async function rewrite(page: Page, editor: Locator, code: string): Promise<void> {
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(code);
}

/** The texts of the toasts of a page that no step has waited for yet, oldest first. */
type WindowWithToasts = typeof globalThis & { toasts: string[] };

/** Toasts disappear after three seconds, possibly before a step looks, so each page records them. */
export const recordToasts = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(() => {
    const toasts: string[] = [];
    (globalThis as WindowWithToasts).toasts = toasts;
    const read = ({ target, addedNodes }: MutationRecord) => {
      if ((target as Element).closest?.('[aria-label="Notifications"]'))
        for (const node of addedNodes) toasts.push(node.textContent ?? '');
    };
    new MutationObserver((changes) => changes.forEach(read)).observe(document, { subtree: true, childList: true });
  });

/** Waits for a toast that appeared after the last one that was waited for. */
export async function expectToast(page: Page, text: string | RegExp): Promise<void> {
  await page.waitForFunction((sought) => {
    const { toasts } = globalThis as WindowWithToasts;
    const index = toasts.findIndex((text) => (typeof sought === 'string' ? text.includes(sought) : sought.test(text)));
    return toasts.splice(0, index + 1).length > 0;
  }, text);
}

/** Submits the form, and waits for its toast and for the next page. */
export async function submit(page: Page, label: string, toast: string): Promise<void> {
  await button(page, label).click();
  await expectToast(page, toast);
  await isLoaded(page);
}

/** Answers a dialog and waits until it is closed. */
export async function answerDialog(page: Page, label: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: label, exact: true }).click();
  await expect(dialog).toHaveCount(0);
}

/** Simulates that the user returns to the tab after the cached data has become stale. Needs an installed clock. */
export async function returnTo(page: Page): Promise<void> {
  await page.clock.fastForward(6000);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
}

/** Pairs of digits separated by spaces, as hex inputs display them. */
export const spaced = (hex: string): string => hex.replace(/..(?=.)/g, '$& ');

/** The rows of a live log that contain all of these texts, newest first. */
export function logRows(page: Page, ...words: string[]): Locator {
  return words.reduce(
    (rows, word) => rows.filter({ hasText: word }),
    main(page)
      .getByRole('listitem')
      .filter({ has: page.locator('time') }),
  );
}
