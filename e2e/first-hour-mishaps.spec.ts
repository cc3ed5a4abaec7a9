import { createDevice, createNetwork, startGateway } from '@hilltop/simulator';
import { expect, testOnEmptyServer } from './journey.ts';
import { button, follow, goTo, main, spaced, textbox, visit } from './steps.ts';
import { buildWorld, randomHex } from './world.ts';

const test = testOnEmptyServer();

const gatewayID = 'b827ebfffe4a00f2';
const devEUI = '0a1b2c3d4e5f60f2';
const nwkKey = '2b7e151628aed2a6abf7158809cf4f3d';

// The journey kills the server.
test.use({
  allowedErrors:
    /WebSocket connection to .* failed|ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)/,
});

test('a page that waits for a join survives a killed server and shows the joined device', async ({
  page,
  admin,
  hilltop,
}) => {
  const { organizationID } = await admin.firstSteps.makeProfiles({});
  const { result: profiles } = await admin.deviceProfile.list({ organizationID, limit: 100 });
  const { id: deviceProfileID, networkServerID } = profiles.find(({ name }) => name.includes('OTAA class A 1.0.3'))!;
  const gatewayDefaults = { organizationID, networkServerID, location: { latitude: 52, longitude: 5 } };
  await admin.gateway.create({ gateway: { id: gatewayID, name: 'roof', description: 'Roof', ...gatewayDefaults } });
  const device = { organizationID, deviceProfileID, devEUI, nwkKey, name: 'meter' };
  const { applicationID } = await admin.firstSteps.addDevice({ ...device, applicationName: 'first' });
  const add = `/organizations/${organizationID}/devices/add`;

  await visit(page, `${add}?device=${devEUI}&application=${applicationID}`);
  await expect(main(page).getByText('Waiting for join')).toBeVisible();
  await hilltop.stop('SIGKILL');
  await expect(main(page).getByText('The server cannot be reached.')).toBeVisible();
  await hilltop.start();
  await expect(main(page).getByText('The server cannot be reached.')).toBeHidden();
  const gateway = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID, keepaliveMs: 500 });
  await gateway.online();
  const network = createNetwork({ gateways: [gateway] });
  const meter = createDevice({ devEUI, nwkKey, macVersion: '1.0.3', region: 'EU868' });
  expect(await network.join(meter)).toBe(true);
  await expect(main(page).getByText('The join was accepted.')).toBeVisible();
  await network.send(meter, { fPort: 2, data: Uint8Array.of(1) });
  await expect(main(page).getByText('Joined', { exact: true })).toBeVisible();
  network.stop();
  await gateway.stop();
});

test('a key in the other byte order is named while one waits, and one click lets the device join', async ({
  page,
  admin,
  hilltop,
}) => {
  const world = await buildWorld(admin, 'reversed-key');
  const { organizationID, applicationID, devEUI, applicationKey } = world;
  const reversed = Uint8Array.fromHex(applicationKey).toReversed().toHex();
  await admin.device.updateKeys({ deviceKeys: { devEUI, nwkKey: reversed } });
  await using gateway = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID: world.gatewayID });
  await gateway.online();
  const network = createNetwork({ gateways: [gateway] });
  const meter = createDevice({ devEUI, nwkKey: applicationKey, macVersion: '1.0.3', region: 'EU868' });

  await visit(page, `/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}`);
  const doctor = main(page).getByRole('region', { name: 'Why does it not join?' });
  await expect(doctor.getByText(/No gateway of this network-server \(EU868\) has received/)).toBeVisible();
  gateway.receiveFrame(meter.joinRequest());
  await expect(doctor.getByText('The device signs with the stored key in the other byte order.')).toBeVisible();
  await doctor.getByRole('button', { name: 'Use that key' }).click();
  await page.getByRole('dialog', { name: 'Use that key?' }).getByRole('button', { name: 'Use that key' }).click();
  await expect(doctor.getByText(/The key that is stored now fits/)).toBeVisible();
  expect(await network.join(meter)).toBe(true);
  await network.send(meter, { fPort: 2, data: Uint8Array.of(1) });
  await expect(doctor).toBeHidden();
  network.stop();
});

test('a device that is received and not registered is registered from the list, and joins', async ({
  page,
  admin,
  hilltop,
}) => {
  const { organizationID, gatewayID } = await buildWorld(admin, 'unregistered');
  await using gateway = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID });
  await gateway.online();
  const network = createNetwork({ gateways: [gateway] });
  const meter = createDevice({ devEUI: randomHex(8), nwkKey, macVersion: '1.0.3', region: 'EU868' });
  gateway.receiveFrame(meter.joinRequest());

  await visit(page, `/organizations/${organizationID}`);
  await goTo(page, 'Not registered', 'Received, not registered');
  await expect(main(page).getByText(/Devices of neighbours appear here too/)).toBeVisible();
  await follow(page, main(page).getByRole('link', { name: `Register ${meter.devEUI}` }));
  await expect(textbox(page, 'Device EUI')).toHaveValue(spaced(meter.devEUI));
  await button(page, 'Next').click();
  await expect(main(page).getByRole('heading', { name: 'Model', level: 2 })).toBeVisible();
  await button(page, 'Next').click();
  await expect(textbox(page, 'Device name')).toHaveValue(`device-${meter.devEUI.slice(-4)}`);
  await textbox(page, 'Application key').fill(nwkKey);
  await button(page, 'Add device').click();
  await expect(main(page).getByText('Waiting for join')).toBeVisible();
  expect(await network.join(meter)).toBe(true);
  await network.send(meter, { fPort: 2, data: Uint8Array.of(1) });
  await expect(main(page).getByText('Joined', { exact: true })).toBeVisible();
  network.stop();
});
