import { complete, endedSentence, integrationKinds } from '@hilltop/contract';
import type { Client } from '@hilltop/contract/client';
import type { Page } from '@playwright/test';
import { answering, failing, silent } from './administration-pictures.ts';
import type { Screen } from './screen.ts';
import { button, choose, logRows, main, textbox } from './steps.ts';

const wrongField = (page: Page) => main(page).locator('[aria-invalid="true"]').first();
const submit = async (page: Page) => {
  await main(page).locator('button[type=submit]').click();
  await wrongField(page).waitFor();
};

const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString();
const devEUI = '0a1b2c3d4e5f6071';

function statusOf(kind: string, state: string, reason = '') {
  const hours = Array.from({ length: 24 }, (_, hour) => ({
    startsAt: at(60 * (24 - hour)),
    delivered: (hour * 37) % 100,
    retried: 0,
    dead: 0,
    expired: 0,
  }));
  return {
    applicationID: '1',
    applicationName: 'forwarded',
    kind,
    state,
    reason,
    since: at(12),
    hours,
    ...(state === 'HEALTHY' ? { behindEvents: 0, oldestAt: null } : { behindEvents: 1204, oldestAt: at(11) }),
    parked: 0,
    dead: 3,
    inFlight: 0,
    nextTryAt: at(-1),
    lastSuccessAt: at(12),
    keepOrder: true,
    maxInFlight: 32,
    organizationID: '1',
  };
}

const storedLoRaCloud = complete(integrationKinds.LORACLOUD.config, {
  applicationID: '1',
  das: true,
  dasToken: '(unchanged)',
  dasModemPort: 199,
  dasGNSSPort: 198,
});

const states = answering('/deliveries', 200, {
  result: [
    statusOf('HTTP', 'DEGRADED', 'The endpoint answered 503.'),
    statusOf('THINGSBOARD', 'SUSPENDED', 'The endpoint says it is gone.'),
    statusOf('LORACLOUD', 'SUSPENDED', endedSentence(integrationKinds.LORACLOUD)),
  ],
});

const attempts = ['DELIVERED', 'RETRIED', 'DEAD', 'TEST', 'STATE'].map((outcome, index) => ({
  line: 4 - index,
  at: at(index),
  eventID: `${devEUI}-1795335577824-${index}`,
  eventType: 'up',
  devEUI,
  outcome,
  attempt: 2,
  ...(outcome === 'DELIVERED'
    ? { status: 200, message: '', excerpt: '' }
    : { status: 503, message: 'The endpoint answered 503.', excerpt: '<h1>Service unavailable</h1>' }),
  milliseconds: 41,
  bytes: 612,
}));

const letters = [0, 1, 2].map((index) => ({
  eventID: `${devEUI}-1795335577824-${index}`,
  eventType: 'up',
  devEUI,
  at: at(90),
  deadAt: at(30 + index),
  attempts: 4,
  status: 422,
  message: 'The endpoint answered 422.',
  payloadJSON: '{"fCnt":7,"fPort":2}',
}));

const replays = ['RUNNING', 'DONE', 'CANCELLED'].map((state, index) => ({
  id: `5cc5c5d0-5a5a-4a5a-8a5a-5a5a5a5a5a5${index}`,
  from: at(300),
  to: at(200),
  devEUI: '',
  eventTypes: [],
  state,
  events: 1000,
  sent: 400 * (index + 1),
  failed: index,
  createdAt: at(10),
}));

/** The stream of delivery attempts, oldest first. */
const trying = (tries: readonly object[]) => (page: Page) =>
  page.routeWebSocket(/\/HTTP\/live/, (socket) => {
    for (const one of tries.toReversed()) socket.send(JSON.stringify({ result: one }));
  });

const openFirst = async (page: Page) => {
  await main(page).getByRole('table').getByRole('button').first().click();
  await page.getByRole('dialog').waitFor();
};

/** The integrations of an application, including errors. */
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
    addOf('loracloud'),
    addOf('thingsboard'),
    { name: 'integration-http', address: `${integrations}/http/edit` },
    {
      name: 'integration-loracloud',
      address: `${integrations}/loracloud/edit`,
      // A configuration that was stored before the service was discontinued.
      given: async (page) => {
        await states(page);
        await answering('/integrations/loracloud', 200, { integration: storedLoRaCloud })(page);
      },
      before: (page) => button(page, 'Advanced geolocation options').click(),
    },
    { name: 'integrations-states', address: integrations, given: states },
    {
      name: 'integrations-ended',
      address: integrations,
      given: async (page) => {
        await states(page);
        await answering(`/api/applications/${applicationID}/integrations`, 200, {
          totalCount: '2',
          result: [{ kind: 'HTTP' }, { kind: 'LORACLOUD' }],
        })(page);
      },
    },
    {
      name: 'integration-test-refused',
      address: `${integrations}/http/edit`,
      given: answering('/HTTP/test', 200, {
        delivered: false,
        status: 401,
        message: 'The endpoint answered 401.',
        milliseconds: 84,
        eventID: attempts[0]!.eventID,
        isMadeUp: true,
        requests: 1,
        sent: 'POST ••• {}',
        excerpt: 'Who are you?',
      }),
      before: async (page) => {
        await button(page, 'Test').click();
        await main(page).getByText('The endpoint rejects the credentials.').waitFor();
      },
    },
    {
      name: 'integration-deliveries',
      address: `${integrations}/http/deliveries`,
      given: trying(attempts),
      before: (page) => logRows(page, 'State').waitFor(),
    },
    {
      name: 'integration-delivery',
      address: `${integrations}/http/deliveries?outcome=DEAD`,
      given: trying(attempts.slice(2, 3)),
      before: async (page) => {
        await logRows(page).first().getByRole('button').click();
        await page.getByRole('dialog').waitFor();
      },
    },
    { name: 'integration-deliveries-none', address: `${integrations}/http/deliveries` },
    {
      name: 'integration-dead-letters',
      address: `${integrations}/http/dead-letters`,
      given: answering('/HTTP/dead', 200, { totalCount: '3', result: letters }),
    },
    {
      name: 'integration-dead-letter',
      address: `${integrations}/http/dead-letters`,
      given: answering('/HTTP/dead', 200, { totalCount: '3', result: letters }),
      before: openFirst,
    },
    { name: 'integration-dead-letters-none', address: `${integrations}/http/dead-letters` },
    {
      name: 'integration-replays',
      address: `${integrations}/http/replay`,
      given: answering('/HTTP/replays', 200, { result: replays }),
    },
    {
      name: 'integration-replay-count',
      address: `${integrations}/http/replay`,
      before: async (page) => {
        await button(page, 'Count').click();
        await main(page)
          .getByText(/would be sent/)
          .waitFor();
      },
    },
    {
      name: 'integrations-in-trouble',
      address: `/organizations/${organizationID}`,
      given: answering('/api/internal/deliveries', 200, {
        totalCount: '2',
        result: [
          statusOf('THINGSBOARD', 'SUSPENDED', 'The endpoint says it is gone.'),
          statusOf('HTTP', 'DEGRADED', 'The endpoint answered 503.'),
        ],
      }),
    },
    {
      name: 'integration-signing-secret',
      address: `${integrations}/http/edit`,
      before: async (page) => {
        await button(page, 'Sign events').click();
        await textbox(page, 'Signing secret').waitFor();
      },
    },
    { name: 'integration-none', address: `${integrations}/carrier-pigeon/edit` },
    { name: 'mqtt', address: `${integrations}/mqtt/certificate` },
  ];
}
