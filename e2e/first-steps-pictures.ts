import type { Client } from '@hilltop/contract/client';
import { startGateway } from '@hilltop/simulator';
import type { Page } from '@playwright/test';
import type { Hilltop } from './hilltop.ts';
import type { Screen } from './screen.ts';
import { main } from './steps.ts';
import { randomHex } from './world.ts';

const submitEmpty = async (page: Page) => {
  await main(page).locator('button[type=submit]').click();
  await main(page).locator('[aria-invalid="true"]').first().waitFor();
};
const seen = (words: string) => (page: Page) => main(page).getByText(words).first().waitFor();
const choose = (way: string) => (page: Page) => main(page).getByRole('radiogroup').getByText(way).click();

/** Each step from an empty installation to a first value. */
export async function firstStepsPictures(client: Client, { udpPort }: Hilltop): Promise<Screen[]> {
  const createOrganization = async (name: string) => {
    return (await client.organization.create({ organization: { name, displayName: name, canHaveGateways: true } })).id;
  };
  const [nothing, begun] = [await createOrganization('hour-nothing'), await createOrganization('hour-begun')];
  await client.firstSteps.makeProfiles({ organizationID: begun });
  const { result: profiles } = await client.deviceProfile.list({ organizationID: begun, limit: 100 });
  const deviceProfileID = profiles.find(({ name }) => name.includes('OTAA class A 1.0.3'))!.id;
  const [id, devEUI, nwkKey] = [randomHex(8), randomHex(8), randomHex(16)];
  const networkServerID = profiles[0]!.networkServerID;
  await client.gateway.create({
    gateway: {
      id,
      name: 'hour-roof',
      description: 'Roof',
      organizationID: begun,
      networkServerID,
      location: { latitude: 51.4816, longitude: -3.1791 },
    },
  });
  const device = { organizationID: begun, name: 'hour-thermometer', devEUI, nwkKey, deviceProfileID };
  const { applicationID } = await client.firstSteps.addDevice({ ...device, applicationName: 'hour-weather' });
  const stranger = await startGateway({ server: `127.0.0.1:${udpPort}`, gatewayID: 'b827ebfffe4a00f1' });
  await stranger.sendStat();
  const organization = `/organizations/${begun}`;
  const connect = `${organization}/gateways/connect`;
  const add = `${organization}/devices/add`;
  return [
    { name: 'hour-nothing', address: `/organizations/${nothing}`, before: seen('Create the standard set') },
    { name: 'hour-begun', address: `${organization}?steps=shown`, before: seen('Connect a gateway') },
    { name: 'hour-connect', address: connect, before: seen('b827ebfffe4a00f1') },
    { name: 'hour-connect-problems', address: connect, before: submitEmpty },
    { name: 'hour-guide', address: `${connect}?gateway=${id}`, before: seen('local_conf.json') },
    { name: 'hour-guide-station', address: `${connect}?gateway=${id}`, before: choose('MQTT bridge') },
    { name: 'hour-add', address: add },
    { name: 'hour-waiting', address: `${add}?device=${devEUI}&application=${applicationID}`, before: seen('Waiting') },
  ];
}
