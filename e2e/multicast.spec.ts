import { createDevice, type Gateway, startGateway } from '@hilltop/simulator';
import { expect, test } from './journey.ts';
import {
  answerDialog,
  button,
  choose,
  expectToast,
  followTo,
  group,
  logRows,
  main,
  openSection,
  startCreating,
  submit,
  textbox,
} from './steps.ts';
import { activate, buildWorld, randomHex } from './world.ts';

test('a group is created with two devices, and a downlink is sent by their gateway', async ({
  page,
  hilltop,
  admin,
}) => {
  const world = await buildWorld(admin, 'lit');
  const gateway = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID: world.gatewayID });
  await gateway.online();
  const { applicationID, deviceProfileID } = world;
  for (const name of ['lamp-1', 'lamp-2']) {
    const devEUI = randomHex(8);
    await admin.device.create({ device: { devEUI, name, description: 'x', applicationID, deviceProfileID } });
    await receiveFrame(gateway, devEUI, await activate(admin, devEUI));
  }
  await expect.poll(async () => seen(await admin.device.list({ applicationID, limit: 9 }))).toBe(2);

  await page.goto(`/organizations/${world.organizationID}/applications/${applicationID}`);
  await openSection(page, 'Multicast groups');
  await startCreating(page);
  await textbox(page, 'Multicast-group name').fill('street lights');
  for (const name of ['Multicast address', 'Multicast network session key', 'Multicast application session key'])
    await group(page, name).getByRole('button', { name: 'Random value' }).click();
  await expect(textbox(page, 'Multicast address')).toHaveValue(/./);
  const mcAddr = (await textbox(page, 'Multicast address').inputValue()).replaceAll(' ', '');
  await textbox(page, 'Frequency').fill('869525000');
  await choose(page, 'Multicast-group type', 'Class-B');
  await expect(main(page).getByRole('combobox', { name: 'Class-B ping-slot periodicity' })).toBeVisible();
  await choose(page, 'Multicast-group type', 'Class-C');
  await expect(main(page).getByRole('combobox', { name: 'Class-B ping-slot periodicity' })).toHaveCount(0);
  await submit(page, 'Create multicast-group', 'multicast-group has been created');

  await openSection(page, 'Devices');
  for (const name of ['lamp-1', 'lamp-2'])
    await main(page)
      .getByRole('checkbox', { name: `Select ${name}` })
      .check();
  await main(page).getByRole('button', { name: 'Selected devices' }).click();
  await page.getByRole('menuitem', { name: 'Add to multicast group' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add devices to multicast-group' });
  await dialog.getByRole('combobox', { name: 'Multicast-group' }).click();
  await page.getByRole('option', { name: 'street lights' }).click();
  await answerDialog(page, 'Add');
  await expectToast(page, '2 devices have been added to multicast-group');
  await expect(main(page).getByRole('checkbox', { checked: true })).toHaveCount(0);

  await openSection(page, 'Multicast groups');
  await followTo(page, 'street lights');
  await expect(main(page).getByRole('link', { name: /^lamp-/ })).toHaveCount(2);
  await openSection(page, 'Downlinks');
  await textbox(page, 'Port').fill('10');
  await textbox(page, 'Base64 encoded payload').fill('AQID');
  await submit(page, 'Enqueue payload', 'multicast-group queue item has been created');
  await expect.poll(async () => (await gateway.nextDownlink()).txpk.imme).toBe(true);
  await page.goto(`/organizations/${world.organizationID}/gateways/${world.gatewayID}/frames`);
  await expect(logRows(page, 'UnconfirmedDataDown', `Device ${mcAddr}`, 'FCnt 0', '869.525')).toHaveCount(1);

  await page.goto(`/organizations/${world.organizationID}/applications/${applicationID}/multicast-groups`);
  await followTo(page, 'street lights');
  await main(page).getByRole('checkbox', { name: 'Select lamp-1' }).check();
  await main(page).getByRole('button', { name: 'Remove from group' }).click();
  await answerDialog(page, 'Remove');
  await expectToast(page, /removed from multicast-group/);
  await expect(main(page).getByRole('link', { name: /^lamp-/ })).toHaveCount(1);
  await button(page, 'Delete').click();
  await answerDialog(page, 'Delete');
  await expectToast(page, 'multicast-group has been deleted');
  await expect(main(page).getByRole('link', { name: 'all together' })).toBeVisible();
  await expect(main(page).getByRole('link', { name: 'street lights' })).toHaveCount(0);
  await gateway.stop();
});

type Session = Awaited<ReturnType<typeof activate>>;

async function receiveFrame(gateway: Gateway, devEUI: string, session: Session): Promise<void> {
  const device = createDevice({ devEUI, session: { ...session, dataRate: 5 }, region: 'EU868' });
  await gateway.receiveFrame(device.uplink({ fPort: 5 })).acknowledged;
}

const seen = ({ result }: { result: readonly { lastSeenAt: string | null }[] }) =>
  result.filter(({ lastSeenAt }) => lastSeenAt !== null).length;
