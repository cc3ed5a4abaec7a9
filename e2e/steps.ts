import { expect, type Locator, type Page } from '@playwright/test';

/** What people do again and again, in the words of the screen. */
export const main = (page: Page): Locator => page.getByRole('main');
export const drawer = (page: Page): Locator => page.getByRole('navigation', { name: 'Main' });
export const button = (page: Page, name: string): Locator => main(page).getByRole('button', { name, exact: true });
export const textbox = (page: Page, name: string): Locator => main(page).getByRole('textbox', { name, exact: true });
/** An input with its tools: byte order, random value, copy. */
export const group = (page: Page, name: string): Locator => main(page).getByRole('group', { name, exact: true });
/** Switches and check boxes carry their help text in their name. */
export const toggle = (page: Page, name: string): Locator => main(page).getByRole('switch', { name });

export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await textbox(page, 'Username / email').fill(email);
  await textbox(page, 'Password').fill(password);
  await button(page, 'Login').click();
}

/** The page somebody lands on after signing in has found its place. */
export const hasLanded = (page: Page): Promise<void> =>
  expect(main(page).getByRole('heading', { level: 1 })).toBeVisible();

/** Goes to an entry of the drawer and waits for its page. */
export async function goTo(page: Page, entry: string, heading = entry): Promise<void> {
  await drawer(page).getByRole('link', { name: entry, exact: true }).click();
  await expect(main(page).getByRole('heading', { name: heading, level: 1 })).toBeVisible();
}

const between = '/search';

/** Goes to an address as a link does, without loading the console again, and waits until its page is there. */
export async function visit(page: Page, address: string): Promise<void> {
  const heading = main(page).getByRole('heading', { level: 1 });
  if (page.url() === 'about:blank') await page.goto(between);
  // By way of a page that is known, so that the page before cannot be taken for the one that is waited for.
  for (const step of [between, address]) {
    await page.evaluate((to) => {
      history.pushState(null, '', to);
      dispatchEvent(new PopStateEvent('popstate'));
    }, step);
    const title = /^Search$/;
    await expect(heading.filter(step === between ? { hasText: title } : { hasNotText: title })).toBeVisible();
  }
  await isLoaded(page);
}

/** Nothing on the page waits for the server. */
export const isLoaded = (page: Page): Promise<void> => expect(page.locator('[aria-busy="true"]')).toHaveCount(0);

/** One of the links below the title of a page. */
export const section = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true });
export const openSection = (page: Page, name: string): Promise<void> => section(page, name).click();

export const openTab = (page: Page, name: string): Promise<void> => main(page).getByRole('tab', { name }).click();

/** An empty list offers its create link twice: at the top and in the middle. */
export const startCreating = (page: Page, name = 'Create'): Promise<void> =>
  main(page).getByRole('link', { name, exact: true }).first().click();

export async function choose(page: Page, label: string, option: string | RegExp): Promise<void> {
  await main(page).getByRole('combobox', { name: label, exact: true }).click();
  await page.getByRole('listbox', { name: label }).getByRole('option', { name: option, exact: true }).click();
}

/**
 * Replaces what stands in a code editor. Emptied first: over a coloured selection Chromium writes with a style of its own,
 * which the content security policy blocks with a complaint.
 */
export async function rewrite(page: Page, editor: Locator, code: string): Promise<void> {
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(code);
}

/** Waits for the message that leaves by itself after three seconds: looked for more often than an expectation looks. */
export const isTold = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text).last().waitFor();

/** Presses the form's own button and waits until the server has said yes. */
export async function submit(page: Page, label: string, told: string): Promise<void> {
  await Promise.all([isTold(page, told), button(page, label).click()]);
}

/** Somebody comes back to the tab, long enough after the last look that what it shows may be old. Needs an installed clock. */
export async function returnTo(page: Page): Promise<void> {
  await page.clock.fastForward(6000);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
}

/** Pairs of digits with spaces between, as hex inputs show them. */
export const spaced = (hex: string): string => hex.replace(/..(?=.)/g, '$& ');

/** The rows of a live log that hold all of these words, newest first. */
export function logRows(page: Page, ...words: string[]): Locator {
  return words.reduce(
    (rows, word) => rows.filter({ hasText: word }),
    main(page)
      .getByRole('listitem')
      .filter({ has: page.locator('time') }),
  );
}
