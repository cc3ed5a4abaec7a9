import { createDevice, startGateway } from '@hilltop/simulator';
import { expect, test } from './journey.ts';
import { answerDialog, button, expectToast, followTo, main, openSection, submit, textbox } from './steps.ts';
import { activate, buildWorld, randomHex } from './world.ts';

// The pages of deleted records.
test.use({ allowedErrors: /status of 404/ });

test('the wrong application is deleted and taken back, and its device goes on without a join', async ({
  page,
  hilltop,
  admin,
}) => {
  const { organizationID, applicationID, gatewayID, devEUI } = await buildWorld(admin, `orchard-${randomHex(2)}`);
  const gateway = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID });
  await gateway.online();
  const device = createDevice({
    devEUI,
    session: { ...(await activate(admin, devEUI)), dataRate: 5 },
    region: 'EU868',
  });
  const uplinks = async () => {
    const { result } = await admin.history.list({ devEUI, kinds: ['up'], limit: 10 });
    return result.map(({ payloadJSON }) => (JSON.parse(payloadJSON) as { fCnt: number }).fCnt);
  };
  await gateway.receiveFrame(device.uplink({ fPort: 5 })).acknowledged;
  await expect.poll(uplinks).toEqual([0]);

  await page.goto(`/organizations/${organizationID}/applications/${applicationID}`);
  await button(page, 'Delete').click();
  const dialog = page.getByRole('dialog', { name: 'Delete weather?' });
  await expect(
    dialog.getByText('1 device and 1 multicast-group go with it. They can be restored for 30 days.'),
  ).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Type weather to confirm' }).fill('weather');
  await answerDialog(page, 'Delete');
  await expectToast(page, 'application has been deleted');
  await expect(main(page).getByRole('link', { name: 'weather' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectToast(page, 'application has been restored');
  await followTo(page, 'weather');
  await expect(main(page).locator(`a[href$="/devices/${devEUI}"]`)).toBeVisible();
  await gateway.receiveFrame(device.uplink({ fPort: 5 })).acknowledged;
  await expect.poll(uplinks).toEqual([1, 0]);
  await gateway.stop();
});

test('the trash lists deleted records, names what does not fit, and deletes for good', async ({ page, admin }) => {
  const { organizationID, applicationID, deviceProfileID, devEUI } = await buildWorld(admin, 'meadow');
  await admin.device.delete({ devEUI });
  await admin.device.create({
    device: { devEUI, name: 'successor', description: 'x', applicationID, deviceProfileID },
  });
  await page.goto(`/organizations/${organizationID}`);
  await openSection(page, 'Trash');
  await button(page, 'Restore thermometer').click();
  const refused = page.getByRole('dialog', { name: 'Not all of thermometer is restored' });
  await expect(refused.getByText(/A device with this EUI exists now in weather\./)).toBeVisible();
  await answerDialog(page, 'Done');
  await button(page, 'Delete thermometer for good').click();
  await answerDialog(page, 'Delete for good');
  await expectToast(page, 'deleted for good');
  await expect(main(page).getByText('The trash is empty')).toBeVisible();
});

test('a gateway is replaced, a device is moved, and an application is duplicated', async ({ page, admin }) => {
  const { organizationID, applicationID, serviceProfileID, gatewayID, devEUI } = await buildWorld(admin, 'harbour');
  const newGatewayID = randomHex(8);
  await page.goto(`/organizations/${organizationID}/gateways/${gatewayID}`);
  await button(page, 'More actions').click();
  await page.getByRole('menuitem', { name: 'Replace gateway' }).click();
  const dialog = page.getByRole('dialog', { name: 'Replace roof' });
  await dialog.getByRole('textbox', { name: 'New gateway ID' }).fill(newGatewayID);
  await dialog.getByRole('button', { name: 'Replace', exact: true }).click();
  await expectToast(page, 'gateway has been replaced');
  await page.waitForURL(`**/gateways/${newGatewayID}`);
  await expect(main(page).getByRole('heading', { name: 'roof', level: 1 })).toBeVisible();

  await admin.application.createHTTPIntegration({
    integration: {
      ...{ applicationID, eventEndpointURL: 'https://example.com/events', marshaler: 'JSON' },
      headers: [{ key: 'Authorization', value: 'secret' }],
    },
  });
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}`);
  await followTo(page, 'Duplicate');
  await expect(main(page).getByText('A copy of weather, without devices')).toBeVisible();
  await expect(main(page).getByRole('checkbox', { name: 'Copy its integration' })).toBeChecked();
  await expect(textbox(page, 'Application name')).toHaveValue('weather-copy');
  await submit(page, 'Create application', 'application has been created');

  const { result } = await admin.application.list({ organizationID, limit: 10 });
  const copy = result.find(({ name }) => name === 'weather-copy')!;
  expect(copy.serviceProfileID).toBe(serviceProfileID);
  const { result: states } = await admin.delivery.overview({ applicationID: copy.id });
  expect(states.map(({ kind, state }) => [kind, state])).toEqual([['HTTP', 'SUSPENDED']]);
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}`);
  await button(page, 'More actions').click();
  await page.getByRole('menuitem', { name: 'Move to another application' }).click();
  const moving = page.getByRole('dialog', { name: 'Move thermometer' });
  await moving.getByRole('combobox', { name: 'Application' }).click();
  await page.getByRole('option', { name: 'weather-copy' }).click();
  await moving.getByRole('button', { name: 'Move', exact: true }).click();
  await expectToast(page, 'device has been moved');
  await page.waitForURL(`**/applications/${copy.id}/devices/${devEUI}`);
});

test('a deletion and a restoration that kill -9 interrupts continue: each device exists once', async ({
  hilltop,
  admin,
}) => {
  const { applicationID, deviceProfileID } = await buildWorld(admin, 'marsh');
  const more = Array.from({ length: 299 }, () => randomHex(8));
  const create = (devEUI: string) =>
    admin.device.create({ device: { devEUI, name: devEUI, description: 'x', applicationID, deviceProfileID } });
  while (more.length > 0) await Promise.all(more.splice(0, 25).map(create));
  const existing = async () => Number((await admin.device.list({ applicationID, limit: 0 })).totalCount);
  const entry = async () => (await admin.trash.list({ recordID: applicationID, limit: 1 })).result[0];
  const inTrash = async () => (await entry())?.contents?.find(({ kind }) => kind === 'DEVICE')?.count ?? 0;
  /** Ends the process in the middle of a call, when that has begun. */
  const kill = async (call: Promise<unknown>, hasBegun: () => Promise<boolean>) => {
    const ended = call.catch(() => undefined);
    while (!(await hasBegun()));
    await hilltop.stop('SIGKILL');
    await ended;
    await hilltop.start();
  };

  await kill(admin.application.delete({ id: applicationID }), async () => (await inTrash()) > 0);
  const left = await existing();
  expect(left + (await inTrash())).toBe(300);
  if (left > 0) await admin.application.delete({ id: applicationID });
  expect(await inTrash()).toBe(300);

  const { id } = (await entry())!;
  await kill(admin.trash.restore({ id }), async () => (await existing()) > 0);
  await expect.poll(existing, { timeout: 60_000 }).toBe(300);
  await expect.poll(entry).toBeUndefined();
});
