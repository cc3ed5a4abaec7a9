import { createDevice, createNetwork, startGateway } from '@hilltop/simulator';
import { expect, test } from './journey.ts';
import {
  button,
  choose,
  expectToast,
  followTo,
  group,
  logRows,
  main,
  openSection,
  spaced,
  startCreating,
  submit,
  textbox,
} from './steps.ts';
import { buildDeviceProfile, buildWorld, randomHex } from './world.ts';

/** 27.2 degrees on channel 3, as Cayenne LPP. */
const warmth = Uint8Array.of(0x03, 0x67, 0x01, 0x10);

test('an ABP device is activated on its page, and its Cayenne LPP uplink is decoded', async ({
  page,
  hilltop,
  admin,
}) => {
  const world = await buildWorld(admin, 'personalized');
  await buildDeviceProfile(admin, world, {
    name: 'abp',
    supportsJoin: false,
    rxDelay1: 1,
    rxDataRate2: 0,
    rxFreq2: 869_525_000,
    factoryPresetFreqs: [868_100_000, 868_300_000, 868_500_000],
  });
  const [devEUI, nwkSKey, appSKey] = [randomHex(8), randomHex(16), randomHex(16)];

  await page.goto(`/organizations/${world.organizationID}/applications/${world.applicationID}`);
  await startCreating(page);
  await textbox(page, 'Device name').fill('meter');
  await textbox(page, 'Device description').fill('In the cellar');
  await textbox(page, 'Device EUI').fill(devEUI);
  await choose(page, 'Device-profile', 'abp');
  await submit(page, 'Create device', 'device has been created');
  await expect(page).toHaveURL(new RegExp(`/devices/${devEUI}/activation$`));

  await group(page, 'Device address').getByRole('button', { name: 'Random value' }).click();
  const address = textbox(page, 'Device address');
  await expect(address).toHaveValue(/^[0-9a-f]{2}( [0-9a-f]{2}){3}$/);
  const devAddr = (await address.inputValue()).replaceAll(' ', '');
  await textbox(page, 'Network session key').fill(nwkSKey);
  await textbox(page, 'Application session key').fill(appSKey);
  await submit(page, '(Re)activate device', 'device has been (re)activated');

  await followTo(page, 'meter');
  await expect(main(page).getByRole('heading', { name: 'meter', level: 1 })).toBeVisible();
  await openSection(page, 'Device data');
  await expect(main(page).getByText('Live', { exact: true })).toBeVisible();
  const device = createDevice({ devEUI, session: { devAddr, keys: { nwkSKey, appSKey } }, region: 'EU868' });
  const gateway = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID: world.gatewayID });
  const network = createNetwork({ gateways: [gateway] });
  await gateway.online();
  const { received } = await network.send(device, { fPort: 5, data: warmth, confirmed: true });
  expect(received).toMatchObject({ kind: 'data', acknowledged: true });
  const uplink = logRows(page, 'up', 'FCnt 0', 'FPort 5', 'Confirmed');
  await uplink.getByRole('button').first().click();
  await expect(uplink).toContainText(/temperatureSensor.*3.*27\.2/);

  await openSection(page, 'Activation');
  await expect(address).toHaveValue(spaced(devAddr));
  await expect(textbox(page, 'Uplink frame-counter')).toHaveValue('1');
  await button(page, 'Clear DevNonce').click();
  const dialog = page.getByRole('dialog', { name: 'Clear DevNonce?' });
  await expect(dialog).toContainText('The latest 20 DevNonces stay.');
  await dialog.getByRole('button', { name: 'Clear DevNonce' }).click();
  await expectToast(page, 'device devNonce deleted');
  await gateway.stop();
});

test('a downlink that is refused as too late is sent with the next uplink, and its steps say so', async ({
  page,
  hilltop,
  admin,
}) => {
  const { organizationID, applicationID, devEUI, gatewayID } = await buildWorld(admin, 'too-late');
  const [devAddr, key] = ['01020304', randomHex(16)];
  const keys = { appSKey: key, nwkSEncKey: key, sNwkSIntKey: key, fNwkSIntKey: key };
  await admin.device.activate({ deviceActivation: { devEUI, devAddr, ...keys } });
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}`);
  await textbox(page, 'Port').fill('10');
  await textbox(page, 'Hexadecimal payload').fill('01 02 03');
  await choose(page, 'Expires', 'In 24 hours');
  await submit(page, 'Enqueue payload', 'device-queue item has been created');
  const queue = main(page).getByRole('region', { name: 'Downlink queue' });
  await expect(queue).toContainText('queued');

  const device = createDevice({ devEUI, session: { devAddr, keys: { nwkSKey: key, appSKey: key } }, region: 'EU868' });
  // It refuses both windows of the first uplink.
  const txAck = (_: unknown, nth: number) => (nth <= 2 ? 'TOO_LATE' : '');
  const gateway = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID, txAck });
  await gateway.online();
  gateway.receiveFrame(device.uplink({ fPort: 5, data: warmth }));
  await expect(queue).toContainText('queued: TOO_LATE');
  const sent = main(page).getByRole('region', { name: 'Sent lately' });
  const row = sent.getByRole('button', { name: /FPort 10/ });
  await row.click();
  await expect(sent).toContainText(`refused by the gateway: TOO_LATE`);
  gateway.receiveFrame(device.uplink({ fPort: 5, data: warmth }));
  await expect(row).toContainText('sent');
  await expect(main(page).getByText('The queue is empty')).toBeVisible();
  const steps = sent.getByRole('list').last().getByRole('listitem');
  const words = ['queued', 'sending', 'refused by the gateway: TOO_LATE', 'sending', 'sent'];
  await expect(steps).toHaveCount(words.length);
  for (const [at, word] of words.entries()) await expect(steps.nth(at)).toContainText(word);
  await expect(steps.last()).toContainText(new RegExp(`gateway ${gatewayID}, RX1, 86\\d\\.\\d+ MHz, DR\\d, FCnt 1`));

  await sent.getByRole('button', { name: 'Send again' }).click();
  await expect(textbox(page, 'Hexadecimal payload')).toHaveValue('010203');
  await submit(page, 'Enqueue payload', 'device-queue item has been created');
  await queue.getByRole('button', { name: /^Cancel the downlink/ }).click();
  await page
    .getByRole('dialog', { name: 'Cancel the downlink?' })
    .getByRole('button', { name: 'Cancel downlink' })
    .click();
  await expectToast(page, 'downlink has been canceled');
  await expect(sent.getByRole('button', { name: /canceled/ })).toBeVisible();
  await gateway.stop();
});

test('a LoRaWAN 1.1 device joins with its two root keys and shows its five session values', async ({
  page,
  hilltop,
  admin,
}) => {
  const world = await buildWorld(admin, 'one-point-one');
  await buildDeviceProfile(admin, world, { name: 'new', macVersion: '1.1.0', regParamsRevision: 'B' });
  const [devEUI, nwkKey, appKey] = [randomHex(8), randomHex(16), randomHex(16)];

  await page.goto(`/organizations/${world.organizationID}/applications/${world.applicationID}/devices/create`);
  await textbox(page, 'Device name').fill('newcomer');
  await textbox(page, 'Device description').fill('Speaks 1.1');
  await textbox(page, 'Device EUI').fill(devEUI);
  await choose(page, 'Device-profile', 'new');
  await submit(page, 'Create device', 'device has been created');
  await textbox(page, 'Network key').fill(nwkKey);
  await textbox(page, 'Application key').fill(appKey);
  await submit(page, 'Set device-keys', 'device-keys have been created');

  await openSection(page, 'LoRaWAN Frames');
  await expect(main(page).getByText('Live', { exact: true })).toBeVisible();
  const device = createDevice({ devEUI, nwkKey, appKey, macVersion: '1.1.0', region: 'EU868' });
  const gateway = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID: world.gatewayID });
  const network = createNetwork({ gateways: [gateway] });
  await gateway.online();
  expect(await network.join(device)).toBe(true);
  await network.send(device, { fPort: 5, data: warmth });
  await expect(logRows(page, 'JoinRequest')).toHaveCount(1);
  await expect(logRows(page, 'JoinAccept')).toHaveCount(1);
  await expect(logRows(page, 'UnconfirmedDataUp')).toHaveCount(1);

  await openSection(page, 'Activation');
  await expect(textbox(page, 'Device address')).toHaveValue(spaced(device.session?.devAddr ?? ''));
  await expect(textbox(page, 'Serving network session integrity key')).toBeVisible();
  await expect(textbox(page, 'Downlink frame-counter (application)')).toHaveValue(/\d+/);
  await gateway.stop();
});
