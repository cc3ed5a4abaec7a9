import type { Page } from '@playwright/test';
import { expect, test } from './journey.ts';
import { isLoaded, main } from './steps.ts';
import { buildWorld } from './world.ts';

/** The limit that web vitals call poor. */
const tooMuch = 0.1;

/** A move of a few pixels, such as a word that grows with its number. */
const noticeable = 0.001;

/** Runs before the scripts of the page: records layout shifts. */
function watchShifts(): void {
  interface Shift extends PerformanceEntry {
    value: number;
    sources: { node: Node | null }[];
  }
  const shifts: { value: number; what: (string | null | undefined)[] }[] = [];
  Object.assign(globalThis, { shifts });
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries() as Shift[])
      shifts.push({ value, what: sources.map(({ node }) => node?.textContent?.slice(0, 60)) });
  }).observe({ type: 'layout-shift', buffered: true });
}

async function staysStill(page: Page, address: string, until: () => Promise<void>, limit = tooMuch): Promise<void> {
  await page.goto(address);
  await until();
  await isLoaded(page);
  const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: { value: number }[] }).shifts);
  const moved = shifts.reduce((sum, { value }) => sum + value, 0);
  expect(moved, JSON.stringify(shifts)).toBeLessThan(limit);
}

for (const [width, height] of [
  [1350, 940],
  [412, 823],
] as const) {
  test(`pages load without layout shifts, ${width} px wide`, async ({ admin, page }) => {
    const { organizationID, applicationID } = await buildWorld(admin, `still-${width}`);
    await page.setViewportSize({ width, height });
    await page.addInitScript(watchShifts);
    await page.goto('/dashboard');
    await staysStill(page, `/organizations/${organizationID}`, () =>
      expect(main(page).getByRole('heading', { name: 'First steps' })).toBeVisible(),
    );
    await staysStill(page, `/organizations/${organizationID}/applications/${applicationID}`, () =>
      expect(main(page).getByRole('button', { name: /^Never seen/ })).toBeVisible(),
    );
  });
}

test('the navigation and lists keep their positions while they load', async ({ admin, page }) => {
  const { organizationID, applicationID } = await buildWorld(admin, 'still-desktop');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.addInitScript(watchShifts);
  await page.goto(`/organizations/${organizationID}/applications`);
  const still = (address: string, text: string | RegExp) =>
    staysStill(page, address, () => expect(main(page).getByText(text).first()).toBeVisible(), noticeable);
  await still('/instances', /^This instance runs alone/);
  await still(`/organizations/${organizationID}/applications/${applicationID}`, 'thermometer');
  await still(`/organizations/${organizationID}/devices?filter=state:is:neverSeen&filter=tag.site:unset`, /^Active 0$/);
});

test('cards of the dashboard fill their rows', async ({ admin, page }) => {
  await buildWorld(admin, 'still-cards');
  for (const width of [1440, 1350, 1100, 412]) {
    await page.setViewportSize({ width, height: 940 });
    await page.goto('/dashboard');
    const last = main(page).getByRole('region', { name: 'Device data-rate usage' });
    await expect(last).toBeVisible();
    const room = await last.evaluate(
      (card) => card.parentElement!.getBoundingClientRect().right - card.getBoundingClientRect().right,
    );
    expect(Math.abs(room), `${width} px`).toBeLessThan(1);
  }
});
