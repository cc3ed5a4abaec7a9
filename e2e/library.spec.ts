import { createDevice, createNetwork, startGateway } from '@hilltop/simulator';
import { acme, zipOf } from '../apps/server/src/device-library/testing/test-catalogue.ts';
import { expect, test } from './journey.ts';
import { button, logRows, main, textbox, visit } from './steps.ts';
import { activate, buildWorld, randomHex } from './world.ts';

test.use({ signedIn: true });

test('a model of an uploaded library becomes a device-profile whose codec decodes an uplink', async ({
  page,
  admin,
  hilltop,
}) => {
  const world = await buildWorld(admin, `library-${randomHex(4)}`);
  const { organizationID, applicationID, gatewayID } = world;
  const broken = { ...acme, 'vendors/acme/devices/broken.toml': '[device]\nname = \n' };

  await visit(page, '/device-library');
  await main(page)
    .locator('input[type=file][aria-label="Upload a ZIP file"]')
    .setInputFiles({ name: 'acme.zip', mimeType: 'application/zip', buffer: zipOf(broken) });
  const installed = main(page).getByRole('region', { name: 'Installed library' });
  await expect(installed).toContainText('1 of 1 vendor');
  await expect(installed).toContainText('3 of 3 vectors pass');
  await expect(main(page).getByRole('table', { name: 'Skipped entries' })).toContainText('broken.toml');
  await button(page, 'Licence of Acme Sensors').click();
  await expect(page.getByRole('dialog')).toContainText('The licence of the test catalogue.');

  await visit(page, `/organizations/${organizationID}/device-profiles/library`);
  await textbox(page, 'Search the device library').fill('acme thermo');
  await main(page)
    .getByRole('button', { name: /^Acme Sensors Thermo 2000/ })
    .click();
  await expect(main(page)).toContainText('3 of 3 vectors pass');
  await expect(main(page).getByRole('combobox', { name: 'Network-server' })).toHaveValue(/./);
  await button(page, 'Create device-profile').click();
  await expect(main(page).getByRole('heading', { level: 1 })).toHaveText('Thermo 2000');

  const deviceProfileID = new URL(page.url()).pathname.split('/').at(-1)!;
  const devEUI = randomHex(8);
  await admin.device.create({ device: { devEUI, name: 'from-library', applicationID, deviceProfileID } });
  const session = await activate(admin, devEUI);
  await visit(page, `/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}/data`);
  await expect(main(page).getByText('Live', { exact: true })).toBeVisible();
  const device = createDevice({ devEUI, session, region: 'EU868' });
  await using gateway = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID });
  await gateway.online();
  await createNetwork({ gateways: [gateway] }).send(device, { fPort: 2, data: Uint8Array.of(0x00, 0xd6) });
  const uplink = logRows(page, 'up', 'FCnt 0', 'FPort 2');
  await uplink.getByRole('button').first().click();
  await expect(uplink).toContainText(/temperature.*21\.4/);
});
