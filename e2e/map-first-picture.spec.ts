import type { Locator, Page } from '@playwright/test';
import { expect, test } from './journey.ts';
import { main } from './steps.ts';
import { buildWorld, randomHex } from './world.ts';

const places = [
  { latitude: 52.5, longitude: 13.4 },
  { latitude: 52.51, longitude: 13.4 },
  { latitude: 52.6, longitude: 13.5 },
  { latitude: 48.1, longitude: 11.6 },
];

/** Grey: gateways that were never seen. */
const drawn = [0x6b, 0x75, 0x7d];

type Admin = Parameters<typeof buildWorld>[0];

/** Opens the dashboard and holds the code of the map back until `takeOver`. */
async function openHeld(admin: Admin, page: Page, name: string) {
  const { organizationID, networkServerID } = await buildWorld(admin, name);
  for (const [index, place] of places.entries())
    await admin.gateway.create({
      gateway: {
        organizationID,
        networkServerID,
        id: randomHex(8),
        name: `${name}-${index}`,
        description: 'On the map',
        location: { ...place, altitude: 0 },
      },
    });
  const letThrough = Promise.withResolvers<void>();
  await page.route(/map-canvas-[^/]*\.js/, async (route) => {
    await letThrough.promise;
    await route.continue();
  });
  await page.goto(`/organizations/${organizationID}`);
  await main(page).getByRole('region', { name: 'Gateways', exact: true }).scrollIntoViewIfNeeded();
  const map = main(page).getByRole('region', { name: 'Map of the gateways' });
  const first = map.locator('canvas[data-first-picture]');
  await expect(first).toBeVisible();
  const takeOver = async () => {
    letThrough.resolve();
    await expect(map.getByRole('region', { name: 'Map', exact: true })).toBeVisible();
    await expect(first).toHaveCount(0);
  };
  return { map, first, takeOver };
}

/** The centres of the gateways in a screenshot of an element, found by colour, from left to right. */
async function circlesOn(element: Locator): Promise<{ x: number; y: number; pixels: number }[]> {
  const picture = (await element.screenshot()).toString('base64');
  const reader = await element.page().context().newPage();
  try {
    return await reader.evaluate(
      async ({ picture, drawn }) => {
        const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes]));
        const { width, height } = bitmap;
        const brush = new OffscreenCanvas(width, height).getContext('2d')!;
        brush.drawImage(bitmap, 0, 0);
        const { data } = brush.getImageData(0, 0, width, height);
        const isDrawn = (at: number) =>
          drawn.every((value, part) => Math.abs(value - data[4 * at + part]!) < 4) && !left.has(at);
        const left = new Set<number>();
        const circles = [];
        for (let at = 0; at < width * height; at += 1) {
          if (!isDrawn(at)) continue;
          const all = [at];
          left.add(at);
          for (let one = 0; one < all.length; one += 1)
            for (const step of [1, -1, width, -width])
              if (isDrawn(all[one]! + step)) {
                left.add(all[one]! + step);
                all.push(all[one]! + step);
              }
          const middleOf = (part: (one: number) => number) => all.reduce((sum, one) => sum + part(one), 0) / all.length;
          const circle = { x: middleOf((one) => one % width), y: middleOf((one) => Math.floor(one / width)) };
          // Letters and the dots of the legend are smaller.
          if (all.length > 120) circles.push({ ...circle, pixels: all.length });
        }
        return circles.sort((a, b) => a.x - b.x);
      },
      { picture, drawn },
    );
  } finally {
    await reader.close();
  }
}

test('gateways are drawn before WebGL has started and keep their position afterwards', async ({ admin, page }) => {
  const { map, takeOver } = await openHeld(admin, page, 'early');
  const before = await circlesOn(map);
  expect(before.length).toBeGreaterThanOrEqual(3);
  await map.getByRole('checkbox', { name: /^Never seen/ }).click({ trial: true, timeout: 5000 });
  await takeOver();
  const after = await circlesOn(map);
  expect(after).toHaveLength(before.length);
  for (const [index, { x, y, pixels }] of before.entries()) {
    expect(Math.hypot(after[index]!.x - x, after[index]!.y - y)).toBeLessThan(1.5);
    expect(Math.abs(after[index]!.pixels / pixels - 1)).toBeLessThan(0.15);
  }
});

test('dragging and zooming the preview carry over to the map', async ({ admin, page }) => {
  const { map, first, takeOver } = await openHeld(admin, page, 'eager');
  const { x, y } = (await circlesOn(map)).at(-1)!;
  await first.click({ position: { x, y } });
  // The cluster has split, and its position is the new centre.
  await expect.poll(async () => (await circlesOn(map)).length).toBeGreaterThan(1);
  const box = (await first.boundingBox())!;
  const [fromX, fromY] = [box.x + 60, box.y + 60];
  await page.mouse.move(fromX, fromY);
  await page.mouse.down();
  await page.mouse.move(fromX + 40, fromY + 30, { steps: 4 });
  await page.mouse.up();
  const before = await circlesOn(map);
  await takeOver();
  const after = await circlesOn(map);
  expect(after).toHaveLength(before.length);
  for (const [index, { x, y }] of before.entries())
    expect(Math.hypot(after[index]!.x - x, after[index]!.y - y)).toBeLessThan(1.5);
});

test('a gateway that is clicked on the preview shows its name once the map is loaded', async ({ admin, page }) => {
  const { map, first, takeOver } = await openHeld(admin, page, 'hasty');
  const alone = (await circlesOn(map)).toSorted((a, b) => a.pixels - b.pixels)[0]!;
  await first.click({ position: { x: alone.x, y: alone.y } });
  await takeOver();
  await expect(map.getByRole('link', { name: /roof|hasty/ })).toBeVisible();
});
