import { createDevice, createNetwork, type Gateway, startGateway } from '@hilltop/simulator';
import type { Page } from '@playwright/test';
import { expect, testOnEmptyServer } from './journey.ts';
import {
  choose,
  drawer,
  followTo,
  goTo,
  hasLanded,
  logRows,
  main,
  openSection,
  openTab,
  rewrite,
  signIn,
  startCreating,
  submit,
  textbox,
  toggle,
} from './steps.ts';

const test = testOnEmptyServer();

const devEUI = '0a1b2c3d4e5f6071';
const gatewayID = 'b827ebfffe4a0001';
const applicationKey = '2b7e151628aed2a6abf7158809cf4f3c';

const decoder = `function Decode(fPort, bytes, variables) {
  return { temperature: ((bytes[0] << 8) | bytes[1]) / 10, port: fPort };
}`;

/** 21.5 degrees in the format of the decoder above. */
const warmth = Uint8Array.of(0x00, 0xd7);

async function enqueue(
  page: Page,
  { port, base64, confirmed }: { port: string; base64: string; confirmed: boolean },
): Promise<void> {
  await textbox(page, 'Port').fill(port);
  await main(page).getByRole('checkbox', { name: 'Confirmed downlink' }).setChecked(confirmed);
  await main(page).getByRole('tab', { name: 'Base64 encoded' }).click();
  await textbox(page, 'Base64 encoded payload').fill(base64);
  await submit(page, 'Enqueue payload', 'device-queue item has been created');
  await expect(textbox(page, 'Hexadecimal payload')).toHaveValue('');
}

test.use({
  // Prefetching is on, as for users.
  prefetches: true,
  signedIn: false,
  // The journey kills the server.
  allowedErrors: /WebSocket connection to .* failed|ERR_CONNECTION_(REFUSED|RESET)/,
});

let gateway: Gateway | undefined;
test.afterEach(async () => gateway?.stop());

test('from an empty server to a decoded uplink and a downlink, through a killed server', async ({ page, hilltop }) => {
  await test.step('sign in', async () => {
    await page.goto('/');
    await expect(page).toHaveURL(/\/login$/);
    await signIn(page, hilltop);
    await expect(drawer(page)).toBeVisible();
    await hasLanded(page);
  });

  await test.step('create an organization that can have gateways', async () => {
    await goTo(page, 'Organizations');
    await startCreating(page);
    await textbox(page, 'Organization name').fill('first-light');
    await textbox(page, 'Display name').fill('First light');
    await toggle(page, 'Organization can have gateways').click({ force: true });
    await submit(page, 'Create organization', 'organization has been created');
    await followTo(page, 'first-light');
    await expect(main(page).getByRole('heading', { name: 'First light' })).toBeVisible();
  });

  await test.step('create a service-profile', async () => {
    await goTo(page, 'Service-profiles');
    await startCreating(page);
    await textbox(page, 'Service-profile name').fill('everything');
    await choose(page, 'Network-server', /EU868/);
    await submit(page, 'Create service-profile', 'service-profile has been created');
  });

  await test.step('create a device-profile with a decoder of our own', async () => {
    await goTo(page, 'Device-profiles');
    await startCreating(page);
    await textbox(page, 'Device-profile name').fill('thermometer');
    await choose(page, 'Network-server', /EU868/);
    await choose(page, 'LoRaWAN MAC version', '1.0.3');
    await choose(page, 'LoRaWAN Regional Parameters revision', 'A');
    await textbox(page, 'Max EIRP').fill('14');
    await openTab(page, 'Join (OTAA / ABP)');
    await expect(toggle(page, 'Device supports OTAA')).toBeChecked();
    await openTab(page, 'Codec');
    await choose(page, 'Payload codec', 'Custom JavaScript codec functions');
    await rewrite(page, textbox(page, 'Decoder'), decoder);
    await submit(page, 'Create device-profile', 'device-profile has been created');
  });

  await test.step('create a gateway', async () => {
    await goTo(page, 'Gateways');
    await startCreating(page);
    await textbox(page, 'Gateway name').fill('roof');
    await textbox(page, 'Gateway description').fill('On the roof');
    await textbox(page, 'Gateway ID').fill(gatewayID);
    await choose(page, 'Network-server', /EU868/);
    await choose(page, 'Service-profile', 'everything');
    await submit(page, 'Create gateway', 'gateway has been created');
    await expect(main(page).getByRole('row', { name: /roof/ })).toContainText('Never');
  });

  await test.step('create an application', async () => {
    await goTo(page, 'Applications');
    await startCreating(page);
    await textbox(page, 'Application name').fill('weather');
    await textbox(page, 'Application description').fill('How warm it is');
    await choose(page, 'Service-profile', 'everything');
    await submit(page, 'Create application', 'application has been created');
  });

  await test.step('create a device and its key', async () => {
    await followTo(page, 'weather');
    await expect(main(page).getByRole('heading', { name: 'weather', level: 1 })).toBeVisible();
    await startCreating(page);
    await textbox(page, 'Device name').fill('thermometer-1');
    await textbox(page, 'Device description').fill('North wall');
    await textbox(page, 'Device EUI').fill(devEUI);
    await choose(page, 'Device-profile', 'thermometer');
    await submit(page, 'Create device', 'device has been created');
    await expect(page).toHaveURL(new RegExp(`/devices/${devEUI}/keys$`));
    await textbox(page, 'Application key').fill(applicationKey);
    await submit(page, 'Set device-keys', 'device-keys have been created');
  });

  const device = createDevice({ devEUI, nwkKey: applicationKey, macVersion: '1.0.3', region: 'EU868' });
  gateway = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID, keepaliveMs: 500 });
  await gateway.online();
  await gateway.sendStat();
  const network = createNetwork({ gateways: [gateway] });

  await test.step('the device joins and its uplink arrives decoded while one watches', async () => {
    await openSection(page, 'Device data');
    await expect(main(page).getByText('Live', { exact: true })).toBeVisible();
    expect(await network.join(device)).toBe(true);
    await network.send(device, { fPort: 10, data: warmth });
    await expect(logRows(page, 'join', `DevAddr: ${device.session?.devAddr}`)).toHaveCount(1);
    const uplink = logRows(page, 'up', 'FCnt 0', 'FPort 10');
    await uplink.getByRole('button').first().click();
    await expect(uplink).toContainText(/temperature.*21\.5/);
  });

  await test.step('its frames are seen as they were on air', async () => {
    await openSection(page, 'LoRaWAN Frames');
    await expect(logRows(page, 'JoinRequest', `Device ${devEUI}`)).toHaveCount(1);
    await expect(logRows(page, 'JoinAccept', `GW: ${gatewayID}`)).toHaveCount(1);
    await expect(logRows(page, 'UnconfirmedDataUp', 'FCnt 0')).toHaveCount(1);
  });

  await test.step('the gateway shows the same frames and that it is there', async () => {
    const devicePage = page.url();
    await goTo(page, 'Gateways');
    await expect(main(page).getByRole('row', { name: /roof/ })).not.toContainText('Never');
    await followTo(page, 'roof');
    await expect(main(page).getByRole('heading', { name: 'roof', level: 1 })).toBeVisible();
    await expect(main(page).getByText('Online', { exact: true })).toBeVisible();
    await openSection(page, 'Live LoRaWAN frames');
    await expect(main(page).getByText('Live', { exact: true })).toBeVisible();
    await network.send(device, { fPort: 10, data: warmth });
    await expect(logRows(page, 'UnconfirmedDataUp', 'FCnt 1')).toHaveCount(1);
    await page.goto(devicePage);
  });

  await test.step('downlinks from the console reach the device', async () => {
    await openSection(page, 'Details');
    const queue = main(page).getByRole('region', { name: 'Downlink queue' });
    await enqueue(page, { port: '20', base64: 'AQID', confirmed: false });
    await expect(queue.getByRole('row').filter({ hasText: 'AQID' })).toContainText('20');
    await enqueue(page, { port: '21', base64: 'BAU=', confirmed: true });
    await expect(queue.getByRole('row').filter({ hasText: 'BAU=' })).toContainText('yes');

    const first = await network.send(device, { fPort: 10, data: warmth, wait: true });
    expect(first.received).toMatchObject({ kind: 'data', fPort: 20, data: Uint8Array.of(1, 2, 3), fPending: true });
    const second = await network.send(device, { fPort: 10, data: warmth, wait: true });
    expect(second.received).toMatchObject({ kind: 'data', fPort: 21, data: Uint8Array.of(4, 5), confirmed: true });
    await network.send(device, { fPort: 10, data: warmth });

    await openSection(page, 'Device data');
    await expect(logRows(page, 'txack', `GW: ${gatewayID}`)).toHaveCount(2);
    await expect(logRows(page, 'ack', 'acknowledged')).toHaveCount(1);
    await openSection(page, 'Details');
    await queue.getByRole('button', { name: 'Refresh the queue' }).click();
    await expect(queue.getByText('The queue is empty')).toBeVisible();
    await openSection(page, 'Device data');
  });

  await test.step('the server is killed and started again: nothing is lost, nothing is accepted twice', async () => {
    await hilltop.stop('SIGKILL');
    await expect(main(page).getByText('Not connected to Websocket API')).toBeVisible();
    await hilltop.start();
    await expect(main(page).getByText('Live', { exact: true })).toBeVisible();
    await page.reload();
    await expect(main(page).getByText('Live', { exact: true })).toBeVisible();

    const pulls = gateway?.counts.pullsAcknowledged ?? 0;
    await expect.poll(() => gateway?.counts.pullsAcknowledged).toBeGreaterThan(pulls);
    await network.send(device, { fPort: 10, data: warmth });
    await expect(logRows(page, 'up', 'FCnt 5')).toHaveCount(1);
    await network.transmit(device, device.repeat());
    await network.send(device, { fPort: 10, data: warmth });
    await expect(logRows(page, 'up', 'FCnt 6')).toHaveCount(1);
    await expect(logRows(page, 'up', 'FCnt 5')).toHaveCount(1);
    await openSection(page, 'Activation');
    await expect(textbox(page, 'Device address')).toHaveValue(new RegExp('^[0-9a-f]{2}( [0-9a-f]{2}){3}$'));
  });
});
