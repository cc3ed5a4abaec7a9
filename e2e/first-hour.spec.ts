import { createDevice, createNetwork, type Gateway, startGateway } from '@hilltop/simulator';
import type { Locator, Page } from '@playwright/test';
import { expect, testOnEmptyServer } from './journey.ts';
import { button, drawer, isLoaded, main, signIn, spaced, textbox } from './steps.ts';

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
  await fill(textbox(page, 'Device EUI'), devEUI);
  await click(button(page, 'Next'));
  await click(button(page, 'Next'));
  await fill(textbox(page, 'Device name'), 'thermometer');
  await fill(textbox(page, 'Application key'), key);
  await click(button(page, 'Add device'));
  await expect(main(page).getByText('Waiting for join')).toBeVisible();
  expect(await network.join(device)).toBe(true);
  await expect(main(page).getByText(`By gateway ${gatewayID}`)).toBeVisible();
  await network.send(device, { fPort: 2, data: warmth });
  await expect(main(page).getByText('21.5 °C', { exact: true })).toBeVisible();
  await click(button(page, 'Use this codec'));
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

test('from an application to the first value of a scanned device in at most 6 clicks on 2 pages', async ({
  admin,
  page,
  hilltop,
}, testInfo) => {
  const [scannedEUI, mastID] = ['0a1b2c3d4e5f60f2', 'b827ebfffe4a00f4'];
  const { organizationID } = await admin.firstSteps.makeProfiles({});
  const { result: profiles } = await admin.deviceProfile.list({ organizationID, limit: 100 });
  const { id, networkServerID } = profiles.find(({ name }) => name.includes('OTAA class A 1.0.4'))!;
  const { deviceProfile } = await admin.deviceProfile.get({ id });
  const tags = { vendorID: '01E6', profileID: '1234' };
  await admin.deviceProfile.update({ deviceProfile: { ...deviceProfile, payloadCodec: 'CAYENNE_LPP', tags } });
  const place = { organizationID, networkServerID, location: { latitude: 52, longitude: 5 } };
  await admin.gateway.create({ gateway: { id: mastID, name: 'mast', description: 'Mast', ...place } });
  const labelled = { organizationID, deviceProfileID: id, devEUI: scannedEUI, nwkKey: key, name: 'labelled' };
  const joinEUI = '70b3d57ed0000001';
  const { applicationID } = await admin.firstSteps.addDevice({
    ...labelled,
    applicationName: 'first',
    tags: { joinEUI },
  });

  // The label that the console prints for a device is the one that is scanned.
  await page.goto('/');
  await signIn(page, hilltop);
  await expect(drawer(page)).toBeVisible();
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/labels?devices=${scannedEUI}`);
  const code = main(page).getByRole('img', { name: 'Code of labelled' });
  await expect(main(page).getByText(`LW:D0:${joinEUI}:${scannedEUI}:01E61234`.toUpperCase())).toBeVisible();
  const photo = { name: 'label.png', mimeType: 'image/png', buffer: await code.screenshot() };
  await admin.device.delete({ devEUI: scannedEUI });

  gateway = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID: mastID, keepaliveMs: 500 });
  await gateway.online();
  const network = createNetwork({ gateways: [gateway] });
  const device = createDevice({ devEUI: scannedEUI, nwkKey: key, macVersion: '1.0.4', region: 'EU868' });

  const { hands, click, fill, see } = countHands(page);
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}`);
  await isLoaded(page);
  see();
  await click(main(page).getByRole('link', { name: 'Add a device' }));
  // A phone asks for the photo itself.
  await page.getByLabel('Photo of the code').setInputFiles(photo);
  await expect(main(page).getByRole('region', { name: 'Read from the label' })).toContainText(joinEUI);
  await expect(textbox(page, 'Device EUI')).toHaveValue(spaced(scannedEUI));
  await click(button(page, 'Next'));
  await expect(main(page).getByText('Found by the code on the device')).toBeVisible();
  await click(button(page, 'Next'));
  await fill(textbox(page, 'Device name'), 'thermometer');
  await fill(textbox(page, 'Application key'), key);
  await click(button(page, 'Add device'));
  await expect(main(page).getByText('Waiting for join')).toBeVisible();
  expect(await network.join(device)).toBe(true);
  await network.send(device, { fPort: 2, data: warmth });
  await expect(main(page).getByRole('region', { name: 'First value' })).toContainText('21.5');

  // The click that opens the camera or the photos counts as well.
  const words = `${hands.clicks + 1} clicks, ${hands.fields} fields, ${hands.pages.size} pages`;
  testInfo.annotations.push({ type: 'journey', description: words });
  expect(hands.clicks + 1, words).toBeLessThanOrEqual(6);
  expect(hands.pages.size, words).toBe(2);
  expect((await admin.device.get({ devEUI: scannedEUI })).device?.tags).toEqual({ joinEUI });

  await main(page).getByRole('link', { name: 'Add another' }).click();
  await textbox(page, 'Code or label text').fill(`${scannedEUI} `);
  await expect(main(page).getByText('Device thermometer has this EUI already.')).toBeVisible();
  await main(page).getByRole('link', { name: 'Open the device' }).click();
  await expect(main(page).getByRole('heading', { name: 'thermometer', level: 1 })).toBeVisible();
});
