import type { Client } from '@hilltop/contract/client';
import type { Page } from '@playwright/test';
import { answering, failing, silent } from './administration-pictures.ts';
import type { Screen } from './screen.ts';
import { button, choose, main } from './steps.ts';
import { randomHex } from './world.ts';

const submit = async (page: Page) => {
  await main(page).locator('button[type=submit]').click();
  await main(page).locator('[aria-invalid="true"]').first().waitFor();
};

const tick = async (page: Page) => {
  for (const nth of [0, 1]) await main(page).getByRole('checkbox').nth(nth).check();
};

const openDialog = async (page: Page) => {
  await tick(page);
  await main(page).getByRole('button', { name: 'Selected devices' }).click();
  await page.getByRole('menuitem', { name: 'Add to multicast group' }).click();
  await page.getByRole('dialog').waitFor();
};

/** An application with a multicast-group of lamps, and an empty one. */
export async function multicastPictures(client: Client, organizationID: string): Promise<Screen[]> {
  const { result: serviceProfiles } = await client.serviceProfile.list({ organizationID, limit: 1 });
  const { result: deviceProfiles } = await client.deviceProfile.list({ organizationID, limit: 1 });
  const [serviceProfileID, deviceProfileID] = [serviceProfiles[0]!.id, deviceProfiles[0]!.id];
  const createApplication = async (name: string) => {
    const described = { name, description: 'Lamps of the town', organizationID, serviceProfileID };
    return (await client.application.create({ application: described })).id;
  };
  const [applicationID, other] = [await createApplication('lamps'), await createApplication('lamps-to-come')];
  const create = async (name: string) => {
    const keys = { mcAddr: randomHex(4), mcNwkSKey: randomHex(16), mcAppSKey: randomHex(16) };
    const { id } = await client.multicastGroup.create({
      multicastGroup: { name, applicationID, ...keys, frequency: 869_525_000, dr: 0 },
    });
    return id;
  };
  const [lights, empty] = [await create('street lights'), await create('lights of the park')];
  const euis = Array.from({ length: 12 }, () => randomHex(8));
  for (const [at, devEUI] of euis.entries()) {
    const name = `lamp-${String(at + 1).padStart(2, '0')}`;
    await client.device.create({ device: { devEUI, name, description: 'A lamp', applicationID, deviceProfileID } });
    await client.multicastGroup.addDevice({ multicastGroupID: lights, devEUI });
  }
  const application = `/organizations/${organizationID}/applications/${applicationID}`;
  const groups = `${application}/multicast-groups`;
  const group = `${groups}/${lights}`;
  const waiting = [0, 1, 2].map((at) => {
    return { multicastGroupID: lights, fCnt: 40 + at, fPort: 10, data: btoa(`lamp ${at}, on at ${18 + at}:30`) };
  });
  return [
    { name: 'multicast-groups', address: groups },
    {
      name: 'multicast-groups-none',
      address: `/organizations/${organizationID}/applications/${other}/multicast-groups`,
    },
    { name: 'multicast-groups-failed', address: groups, given: failing('/api/multicast-groups') },
    { name: 'multicast-groups-waiting', address: groups, given: silent('/api/multicast-groups'), isWaiting: true },
    { name: 'multicast-create', address: `${groups}/create`, before: submit },
    {
      name: 'multicast-create-class-b',
      address: `${groups}/create`,
      before: (page) => choose(page, 'Multicast-group type', 'Class-B'),
    },
    { name: 'multicast-devices', address: group, before: tick },
    {
      name: 'multicast-devices-remove',
      address: group,
      before: async (page) => {
        await tick(page);
        await main(page).getByRole('button', { name: 'Remove from group' }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
    { name: 'multicast-devices-none', address: `${groups}/${empty}` },
    { name: 'multicast-edit', address: `${group}/edit` },
    {
      name: 'multicast-downlinks',
      address: `${group}/downlinks`,
      given: answering(`/api/multicast-groups/${lights}/queue`, 200, { multicastQueueItems: waiting }),
    },
    { name: 'multicast-downlinks-none', address: `${groups}/${empty}/downlinks`, before: submit },
    {
      name: 'multicast-downlink-refused',
      address: `${groups}/${empty}/downlinks`,
      before: async (page) => {
        await main(page).getByLabel('Port').fill('10');
        await main(page).getByLabel('Base64 encoded payload').fill('AQID');
        await button(page, 'Enqueue payload').click();
        await main(page).getByText('has no devices').waitFor();
      },
    },
    {
      name: 'multicast-delete',
      address: group,
      before: async (page) => {
        await button(page, 'Delete').click();
        await page.getByRole('dialog').waitFor();
      },
    },
    { name: 'multicast-selected', address: application, before: openDialog },
    { name: 'multicast-of-device', address: `${application}/devices/${euis[0]}` },
  ];
}
