import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test';

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
export async function hasLanded(page: Page): Promise<void> {
  await expect(main(page).getByRole('heading', { level: 1 })).toBeVisible();
  await isLoaded(page);
}

/**
 * Follows a link and waits until its page stands where the one before stood, which may have a link or a button of the
 * same name as the one that is looked for next.
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

/** Goes to an entry of the drawer and waits for its page. */
export async function goTo(page: Page, entry: string, heading = entry): Promise<void> {
  await follow(page, drawer(page).getByRole('link', { name: entry, exact: true }));
  await expect(main(page).getByRole('heading', { name: heading, level: 1 })).toBeVisible();
}

const between = '/search';

/** Goes to an address as a link does, without loading the console again unless it is not there yet, and waits for its page. */
export async function visit(page: Page, address: string): Promise<void> {
  const heading = main(page).getByRole('heading', { level: 1 });
  if (page.url() === 'about:blank') {
    await page.goto(address);
    return hasLanded(page);
  }
  // By way of a page that is known, so that the page before cannot be taken for the one that is waited for.
  for (const step of [between, address]) {
    await page.evaluate((to) => {
      history.pushState(null, '', to);
      dispatchEvent(new PopStateEvent('popstate'));
    }, step);
    const title = /^Search$/;
    await heading.filter(step === between ? { hasText: title } : { hasNotText: title }).waitFor();
  }
  await isLoaded(page);
}

/** No page is on its way, and nothing on this one waits for the server. */
export const isLoaded = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);

/** The screens that are fetched one after the other while nothing else happens are here, the last of them, too. */
export const hasFetchedAhead = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => performance.getEntriesByName('fetched-ahead').length > 0);

/** One of the links below the title of a page. */
export const section = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true });
export async function openSection(page: Page, name: string): Promise<void> {
  await follow(page, section(page, name));
  await expect(section(page, name)).toHaveAttribute('aria-current', 'page');
}

/** One of the tabs of a form. */
export async function openTab(page: Page, name: string): Promise<void> {
  const tab = main(page).getByRole('tab', { name });
  await tab.click();
  await expect(tab).toHaveAttribute('aria-selected', 'true');
}

/** An empty list offers its create link twice: at the top and in the middle. */
export const startCreating = (page: Page, name = 'Create'): Promise<void> =>
  follow(page, main(page).getByRole('link', { name, exact: true }).first());

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

/** What the notifications of a page have said and no step has waited for yet, oldest first. */
type Telling = typeof globalThis & { told: string[] };

/** Messages leave by themselves after three seconds, in which nobody may look: each page writes down what it said. */
export const writeDownWhatIsTold = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(() => {
    const told: string[] = [];
    (globalThis as Telling).told = told;
    const read = ({ target, addedNodes }: MutationRecord) => {
      if ((target as Element).closest?.('[aria-label="Notifications"]'))
        for (const node of addedNodes) told.push(node.textContent ?? '');
    };
    new MutationObserver((changes) => changes.forEach(read)).observe(document, { subtree: true, childList: true });
  });

/** Waits until this has been told since the last message that was waited for. */
export async function isTold(page: Page, text: string | RegExp): Promise<void> {
  await page.waitForFunction((sought) => {
    const { told } = globalThis as Telling;
    const nth = told.findIndex((one) => (typeof sought === 'string' ? one.includes(sought) : sought.test(one)));
    return told.splice(0, nth + 1).length > 0;
  }, text);
}

/** Presses the form's own button and waits until the server has said yes and the page it leads to is there. */
export async function submit(page: Page, label: string, told: string): Promise<void> {
  await button(page, label).click();
  await isTold(page, told);
  await isLoaded(page);
}

/** Answers the dialog that asks, and waits until it is out of the way. */
export async function decide(page: Page, label: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: label, exact: true }).click();
  await expect(dialog).toHaveCount(0);
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
