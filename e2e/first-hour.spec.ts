import { createDevice, createNetwork, type Gateway, startGateway } from '@hilltop/simulator';
import type { Locator, Page } from '@playwright/test';
import { expect, testOnEmptyServer } from './journey.ts';
import { button, isLoaded, main, signIn, textbox } from './steps.ts';

const test = testOnEmptyServer();

const gatewayID = 'b827ebfffe4a00f1';
const devEUI = '0a1b2c3d4e5f60f1';
const key = '2b7e151628aed2a6abf7158809cf4f3c';
/** Cayenne LPP: channel 1 is a temperature of 21.5 degrees. */
const warmth = Uint8Array.of(0x01, 0x67, 0x00, 0xd7);

// Prefetching is on, as for users.
test.use({ signedIn: false, prefetches: true });

let gateway: Gateway | undefined;
test.afterEach(async () => gateway?.stop());

/** Counts clicks and visited pages. */
function countHands(page: Page) {
  const hands = { clicks: 0, fields: 0, pages: new Set<string>() };
  const see = () => hands.pages.add(new URL(page.url()).pathname);
  return {
    hands,
    click: async (target: Locator) => {
      await target.click();
      hands.clicks += 1;
    },
    fill: async (target: Locator, text: string) => {
      see();
      await target.fill(text);
      hands.fields += 1;
    },
    see,
  };
}

test('from sign-in on an empty server to a decoded value in at most 12 clicks on 3 pages', async ({
  page,
  hilltop,
}, testInfo) => {
  const { hands, click, fill, see } = countHands(page);
  await page.goto('/');
  await signIn(page, hilltop);
  const startedAt = performance.now();
  const steps = main(page).getByRole('list', { name: 'First steps' });
  await expect(steps.getByRole('img', { name: 'to do' })).toHaveCount(5);
  see();
  await click(button(page, 'Create the standard set'));
  await expect(steps.getByRole('img', { name: 'done' })).toHaveCount(1);
  await click(steps.getByRole('link', { name: 'Connect a gateway' }));

  // The gateway sends before it is registered.
  gateway = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID, keepaliveMs: 500 });
  await gateway.sendStat();
  await click(button(page, `Register ${gatewayID}`));
  await fill(textbox(page, 'Gateway name'), 'roof');
  await click(button(page, 'Register gateway'));
  await expect(main(page).getByText('Online', { exact: true })).toBeVisible();
  // Not part of the journey: the lines are folded, because the gateway is online.
  await button(page, 'Configuration of the gateway').click();
  await expect(main(page).getByText(`"serv_port_up": ${hilltop.udpPort}`)).toBeVisible();
  const device = createDevice({ devEUI, nwkKey: key, macVersion: '1.0.3', region: 'EU868' });
  const network = createNetwork({ gateways: [gateway] });
  await network.join(device);
  await expect(main(page).getByText('1 frame received')).toBeVisible();

  await click(main(page).getByRole('link', { name: 'Add a device' }));
  await fill(textbox(page, 'Device name'), 'thermometer');
  await fill(textbox(page, 'Device EUI'), devEUI);
  await fill(textbox(page, 'Application key'), key);
  await click(button(page, 'Add device'));
  await expect(main(page).getByText('Waiting for join')).toBeVisible();
  expect(await network.join(device)).toBe(true);
  await expect(main(page).getByText(`By gateway ${gatewayID}`)).toBeVisible();
  await network.send(device, { fPort: 2, data: warmth });
  await click(button(page, 'Read as Cayenne LPP'));
  await expect(main(page).getByText('reads the next uplink')).toBeVisible();
  await network.send(device, { fPort: 2, data: warmth });
  await expect(main(page).getByText('21.5 °C', { exact: true })).toBeVisible();

  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const words = `${hands.clicks} clicks, ${hands.fields} fields, ${hands.pages.size} pages, ${seconds} s`;
  testInfo.annotations.push({ type: 'journey', description: words });
  // Signing in is a click as well.
  expect(hands.clicks + 1, words).toBeLessThanOrEqual(12);
  expect(hands.pages.size, words).toBe(3);

  await page.goto('/');
  await expect(main(page).getByRole('region', { name: 'Active devices' })).toContainText('Active1');
  await isLoaded(page);
  await expect(steps).toHaveCount(0);
});
