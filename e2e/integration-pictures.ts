import type { Client } from '@hilltop/contract/client';
import type { Page } from '@playwright/test';
import { failing, silent } from './administration-pictures.ts';
import type { Screen } from './screen.ts';
import { button, choose, main, textbox, toggle } from './steps.ts';

const wrongField = (page: Page) => main(page).locator('[aria-invalid="true"]').first();
const submit = async (page: Page) => {
  await main(page).locator('button[type=submit]').click();
  await wrongField(page).waitFor();
};

/** The integrations of an application, with what can go wrong there. */
export async function integrationPictures(client: Client, organizationID: string): Promise<Screen[]> {
  const { result: profiles } = await client.serviceProfile.list({ organizationID, limit: 1 });
  const { id: applicationID } = await client.application.create({
    application: {
      name: 'forwarded',
      description: 'Its events leave',
      organizationID,
      serviceProfileID: profiles[0]!.id,
    },
  });
  const { id: empty } = await client.application.create({
    application: { name: 'kept', description: 'Its events stay', organizationID, serviceProfileID: profiles[0]!.id },
  });
  await client.application.createHTTPIntegration({
    integration: {
      applicationID,
      marshaler: 'JSON',
      headers: [
        { key: 'Authorization', value: 'Bearer of good news' },
        { key: 'X-Site', value: 'north' },
      ],
      eventEndpointURL: 'https://example.org/events,https://example.com/copy',
      uplinkDataURL: 'https://example.org/uplinks',
    },
  });
  await client.application.createThingsBoardIntegration({
    integration: { applicationID, server: 'https://thingsboard.example.org' },
  });
  await client.application.createLoRaCloudIntegration({
    integration: { applicationID, das: true, dasToken: 'secret', dasModemPort: 199, dasGNSSPort: 198 },
  });
  const integrations = `/organizations/${organizationID}/applications/${applicationID}/integrations`;
  const other = `/organizations/${organizationID}/applications/${empty}/integrations`;
  const addOf = (kind: string) => ({ name: `integration-${kind}-add`, address: `${other}/${kind}/create` });

  return [
    { name: 'integrations', address: integrations },
    { name: 'integrations-none', address: other },
    {
      name: 'integrations-failed',
      address: integrations,
      given: failing(`/api/applications/${applicationID}/integrations`),
    },
    {
      name: 'integrations-waiting',
      address: integrations,
      given: silent(`/api/applications/${applicationID}/integrations`),
      isWaiting: true,
    },
    {
      name: 'integration-remove',
      address: integrations,
      before: async (page) => {
        await button(page, 'Remove HTTP').click();
        await page.getByRole('dialog').waitFor();
      },
    },
    { ...addOf('aws-sns'), before: submit },
    addOf('azure-service-bus'),
    { ...addOf('gcp-pubsub'), before: (page) => button(page, 'Show the text').click() },
    {
      ...addOf('http'),
      before: async (page) => {
        await button(page, 'Add header').click();
        await textbox(page, 'Header name').fill('X-Token');
        await textbox(page, 'Endpoint URL(s) for events').fill('example.org');
        await submit(page);
      },
    },
    { ...addOf('influxdb'), before: submit },
    {
      ...addOf('influxdb'),
      name: 'integration-influxdb-2-add',
      before: (page) => choose(page, 'InfluxDB version', 'InfluxDB v2'),
    },
    { ...addOf('mydevices'), before: (page) => choose(page, 'myDevices endpoint', 'Custom endpoint') },
    addOf('pilot-things'),
    {
      ...addOf('loracloud'),
      before: async (page) => {
        await button(page, 'Advanced geolocation options').click();
        await toggle(page, 'RSSI').click({ force: true });
        await toggle(page, 'Wi-Fi').click({ force: true });
        await submit(page);
      },
    },
    addOf('thingsboard'),
    { name: 'integration-http', address: `${integrations}/http/edit` },
    {
      name: 'integration-loracloud',
      address: `${integrations}/loracloud/edit`,
      before: (page) => button(page, 'Replace Token').click(),
    },
    { name: 'integration-none', address: `${integrations}/carrier-pigeon/edit` },
    { name: 'mqtt', address: `${integrations}/mqtt/certificate` },
  ];
}
