import { createDevice, createNetwork, startGateway } from '@hilltop/simulator';
import { expect, testOnEmptyServer } from './journey.ts';
import { main, visit } from './steps.ts';

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
