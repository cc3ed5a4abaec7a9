import { createDevice, startGateway } from '@hilltop/simulator';
import { expect, test } from './journey.ts';
import { button, choose, main, startCreating, submit, textbox, toggle } from './steps.ts';
import { buildWorld } from './world.ts';

// The browser logs the checks of invalid settings while they are typed.
test.use({ allowedErrors: /status of 400 .*\/radio\/preview/ });

test('an embedded network-server is created, its radio settings change, and its device receives them', async ({
  page,
  admin,
  hilltop,
}) => {
  await page.goto('/network-servers');
  await startCreating(page, 'Add');
  await main(page).getByText('Inside Hilltop').click();
  await textbox(page, 'Network-server name').fill('north');
  await choose(page, 'Region', 'US915');
  await choose(page, 'Sub-band', 'Sub-band 2');
  await choose(page, 'Region', 'EU868');
  await submit(page, 'Add network-server', 'network-server has been created');
  await expect(page).toHaveURL(/\/network-servers\/\d+\/radio$/);
  await expect(main(page).getByRole('heading', { level: 1 })).toHaveText(/^north \(EU868@/);
  const [, networkServerID = ''] = /network-servers\/(\d+)/.exec(page.url()) ?? [];

  const { devEUI, gatewayID, applicationKey } = await buildWorld(admin, 'radio', networkServerID);
  await using gateway = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID });
  await gateway.online();
  const device = createDevice({ devEUI, nwkKey: applicationKey, region: 'EU868', adr: false, random: Math.random });
  const arrived = async (transmission: ReturnType<typeof device.uplink>) => {
    gateway.receiveFrame(transmission);
    return device.receive((await gateway.nextDownlink(10_000)).phyPayload);
  };
  expect((await arrived(device.joinRequest())).kind).toBe('joined');
  await arrived(device.uplink({ fPort: 1, confirmed: true }));

  const effects = main(page).getByRole('region', { name: 'What saving will cause' });
  await expect(effects).toBeHidden();
  await toggle(page, 'Channel 1, 868.3 MHz').focus();
  await page.keyboard.press('Space');
  await expect(effects).toContainText('1 device gets a LinkADRReq with its next downlink.');
  await expect(main(page).getByRole('img', { name: /^EU868: 7 of 8 channels are on/ })).toBeVisible();
  await textbox(page, 'RX2 frequency').fill('915');
  await expect(effects).toContainText('Must lie between 863 and 870 MHz in EU868.');
  await textbox(page, 'RX2 frequency').fill('');
  await button(page, 'Add channel').click();
  await main(page).getByRole('textbox', { name: 'Frequency', exact: true }).last().fill('865.1');
  await expect(effects).toContainText('1 device gets a NewChannelReq with its next downlink.');
  await button(page, 'Delete channel 8').click();
  await submit(page, 'Save radio settings', 'radio settings have been updated');
  await expect(effects).toBeHidden();

  const received = await arrived(device.uplink({ fPort: 1, confirmed: true }));
  expect(received.kind === 'data' && received.commands.map(({ name }) => name)).toEqual(['LinkADRReq']);
});

test('sub-bands are switched as a whole and channel by channel, by keyboard alone', async ({ page, admin }) => {
  const { id } = await admin.radio.create({ name: 'west', region: 'AU915', subBand: 2 });
  await page.goto(`/network-servers/${id}/radio`);
  await expect(toggle(page, 'Sub-band 2')).toBeChecked();
  await toggle(page, 'Sub-band 1').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  await expect(toggle(page, 'Channel 1, 915.4 MHz, 125 kHz')).toBeFocused();
  await page.keyboard.press('Space');
  await expect(toggle(page, 'Sub-band 1')).not.toBeChecked();
  await expect(main(page).getByText('8 of 9 channels on')).toBeVisible();
  await textbox(page, 'Beacon frequency').fill('923.3');
  await textbox(page, 'End of silent sessions').fill('7');
  await submit(page, 'Save radio settings', 'radio settings have been updated');
  const { settings } = await admin.radio.get({ networkServerID: id });
  expect([settings.classBBeaconFrequency, settings.deviceSessionDays]).toEqual([923_300_000, 7]);
  expect(settings.enabledChannels).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 64, 65]);
});
