import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDevice, createNetwork, startGateway } from '@hilltop/simulator';
import type { Page } from '@playwright/test';
import { connectMQTT, subscribe } from '../apps/server/src/testing/mqtt.ts';
import { startHilltop } from './hilltop.ts';
import { test as base, expect } from './journey.ts';
import {
  answerDialog,
  button,
  choose,
  expectToast,
  follow,
  followTo,
  logRows,
  main,
  openSection,
  submit,
  textbox,
} from './steps.ts';
import { activate, buildWorld } from './world.ts';

/** The endpoint of an integration: records requests and answers with the given status. */
async function startReceiver() {
  const sent: { event: string; id: string; replay: string; fCnt: number }[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    const { event } = await read(request);
    const header = (name: string) => String(request.headers[name] ?? '');
    if (status < 300)
      sent.push({
        event: new URL(request.url ?? '', 'http://receiver').searchParams.get('event') ?? '',
        id: header('webhook-id'),
        replay: header('hilltop-replay'),
        fCnt: event.fCnt ?? 0,
      });
    response.writeHead(status).end(status < 300 ? 'thank you' : 'out of order');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/events`,
    sent,
    answerWith: (next: number) => {
      status = next;
    },
    close: () => server.close(),
  };
}

async function read(request: IncomingMessage): Promise<{ event: { fCnt?: number } }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return { event: JSON.parse(Buffer.concat(chunks).toString()) as { fCnt?: number } };
}

// A server that may send to this machine.
const test = base.extend<object, { hilltop: Awaited<ReturnType<typeof startHilltop>> }>({
  hilltop: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the needed fixtures from the pattern
    async ({}, use) => {
      const hilltop = await startHilltop({ HILLTOP_OUTGOING_ALLOW: '127.0.0.0/8' });
      await use(hilltop);
      await hilltop.remove();
    },
    { scope: 'worker' },
  ],
});

const card = (page: Page, name: string) => main(page).getByRole('region', { name, exact: true });

test('events are sent by HTTP, wait while the endpoint is down, arrive later, and are replayed', async ({
  page,
  admin,
  hilltop,
}) => {
  const receiver = await startReceiver();
  const world = await buildWorld(admin, 'leaving-events');
  const station = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID: world.gatewayID });
  await station.online();
  const network = createNetwork({ gateways: [station] });
  const twin = createDevice({ devEUI: world.devEUI, session: await activate(admin, world.devEUI) });
  const send = () => network.send(twin, { data: Uint8Array.of(3, 0x67, 1, 0x10), fPort: 2 });
  const device = `/organizations/${world.organizationID}/applications/${world.applicationID}`;

  await page.goto(device);
  await openSection(page, 'Integrations');
  await followTo(page, 'Add HTTP');
  await choose(page, 'Payload encoding', 'JSON (legacy)');
  await button(page, 'Add integration').click();
  await expect(textbox(page, 'Endpoint URL(s) for events')).toHaveAccessibleDescription(/is required\./);
  await textbox(page, 'Endpoint URL(s) for events').fill(`${receiver.url} `);
  await button(page, 'Test').click();
  await expect(main(page).getByText(/^Delivered · Status 200/)).toBeVisible();
  await submit(page, 'Add integration', 'HTTP integration has been created');
  await expect(card(page, 'HTTP').getByText('Not used yet')).toBeVisible();
  receiver.sent.length = 0;

  await send();
  await expect.poll(() => receiver.sent.map(({ event }) => event)).toEqual(['up']);
  await page.goto(`${device}/devices/${world.devEUI}/data`);
  await expect(logRows(page, 'up', 'HTTP: delivered').first()).toBeVisible();

  receiver.answerWith(503);
  for (let count = 0; count < 5; count += 1) await send();
  await page.goto(`${device}/integrations`);
  await expect(card(page, 'HTTP').getByText('Degraded')).toBeVisible();
  await expect(card(page, 'HTTP').getByText(/behind/)).toBeVisible();
  await page.goto(`/organizations/${world.organizationID}`);
  await expect(main(page).getByRole('heading', { name: 'Integrations that need attention (1)' })).toBeVisible();
  await follow(page, main(page).getByRole('link', { name: /^HTTP of / }));
  await main(page).getByRole('combobox', { name: 'Outcome' }).selectOption('Tried again');
  await logRows(page, 'Tried again', 'Status 503').first().getByRole('button').click();
  const panel = page.getByRole('dialog');
  await expect(panel.getByText('out of order')).toBeVisible();
  await expect(panel.getByRole('tree', { name: 'Event' }).getByText('fCnt')).toBeVisible();
  await panel.getByRole('button', { name: 'Send again' }).click();
  await expect(panel.getByText('Not delivered · Status 503')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);

  receiver.answerWith(200);
  await expect.poll(() => receiver.sent.length).toBe(6);
  expect(receiver.sent.map(({ fCnt }) => fCnt)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(new Set(receiver.sent.map(({ id }) => id)).size).toBe(6);
  await main(page).getByRole('combobox', { name: 'Outcome' }).selectOption('Delivered');
  await expect(logRows(page, 'Delivered', 'Status 200').first()).toBeVisible();

  await openSection(page, 'Replay');
  await button(page, 'Count').click();
  await expect(main(page).getByText(/^6 events would be sent/)).toBeVisible();
  await button(page, 'Start replay').click();
  await expectToast(page, 'replay has been started');
  await expect.poll(() => receiver.sent.filter(({ replay }) => replay !== '').length).toBe(6);
  await expect(main(page).getByText('6 of 6')).toBeVisible();

  await openSection(page, 'Configuration');
  await textbox(page, 'Concurrent requests').fill('4');
  await submit(page, 'Update order and speed', 'order and speed have been updated');
  await button(page, 'Sign events').click();
  await expect(textbox(page, 'Signing secret')).toHaveValue(/^whsec_/);

  await button(page, 'Suspend').click();
  await answerDialog(page, 'Suspend');
  await expect(main(page).getByText('Suspended').first()).toBeVisible();
  await button(page, 'Resume').click();
  await answerDialog(page, 'Resume');
  await expectToast(page, 'integration has been resumed');

  await button(page, 'Remove').click();
  await expect(page.getByRole('dialog')).toContainText('Are you sure you want to remove the HTTP integration?');
  await answerDialog(page, 'Remove');
  await expectToast(page, 'HTTP integration has been deleted');
  await expect(main(page).getByRole('link', { name: 'Add HTTP' })).toBeVisible();
  network.stop();
  await station.stop();
  receiver.close();
});

test('a program subscribes with a certificate from the console until it is revoked', async ({
  page,
  admin,
  hilltop,
}) => {
  const world = await buildWorld(admin, 'by-mqtt');
  const station = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID: world.gatewayID });
  await station.online();
  const network = createNetwork({ gateways: [station] });
  const twin = createDevice({ devEUI: world.devEUI, session: await activate(admin, world.devEUI) });

  await page.goto(`/organizations/${world.organizationID}/applications/${world.applicationID}/integrations`);
  await follow(page, card(page, 'MQTT').getByRole('link', { name: 'Get certificate' }));
  await button(page, 'Generate certificate').click();
  await expect(textbox(page, 'TLS key')).toHaveValue(/PRIVATE KEY/);
  const pem = (label: string) => textbox(page, label).inputValue();
  const [ca, cert, key] = [await pem('CA certificate'), await pem('TLS certificate'), await pem('TLS key')];
  await expect(button(page, 'Generate certificate')).toBeDisabled();
  const address = await main(page)
    .getByText(/^mqtts:\/\//)
    .textContent();

  await using program = await connectMQTT(address ?? '', { ca, cert, key, clientId: 'greenhouse' });
  await subscribe(program.client, `application/${world.applicationID}/device/+/event/+`);
  await network.send(twin, { data: Uint8Array.of(3, 0x67, 1, 0x10), fPort: 2 });
  const { topic, payload } = await program.next();
  expect(topic).toBe(`application/${world.applicationID}/device/${world.devEUI}/event/up`);
  expect(JSON.parse(payload)).toMatchObject({ devEUI: world.devEUI, fPort: 2 });

  await expect(main(page).getByRole('row', { name: /greenhouse/ })).toBeVisible();
  await main(page)
    .getByRole('button', { name: /^Revoke certificate/ })
    .click();
  await answerDialog(page, 'Revoke');
  await expectToast(page, 'certificate has been revoked');
  await program.closed;
  await expect(main(page).getByText('Revoked', { exact: true })).toBeVisible();
  network.stop();
  await station.stop();
});
