import { readFile } from 'node:fs/promises';
import {
  createDevice,
  createNetwork,
  type Device,
  type Gateway,
  type SimulatedNetwork,
  startGateway,
} from '@hilltop/simulator';
import type { Locator, Page } from '@playwright/test';
import { axeViolations } from './axe.ts';
import { expect, test as journey } from './journey.ts';
import { answerDialog, button, choose, expectToast, follow, logRows, main, openTab, rewrite, submit } from './steps.ts';
import { activate, buildWorld, type World } from './world.ts';

const data = Uint8Array.of(0x03, 0x67, 0x01, 0x10);
/** Most rows of a live log. */
const cap = 1000;

/** A device with a session and a gateway that receives it. */
interface Field {
  world: World;
  device: Device;
  gateway: Gateway;
  network: SimulatedNetwork;
}

const test = journey.extend<{ field: Field }>({
  field: async ({ admin, hilltop }, use, { testId }) => {
    const world = await buildWorld(admin, testId);
    const device = createDevice({ devEUI: world.devEUI, session: await activate(admin, world.devEUI), adr: false });
    const server = `127.0.0.1:${hilltop.udpPort}`;
    const gateway = await startGateway({ server, gatewayID: world.gatewayID, keepaliveMs: 500 });
    await gateway.online();
    const network = createNetwork({ gateways: [gateway] });
    await use({ world, device, gateway, network });
    network.stop();
    await gateway.stop();
  },
});

// The journeys kill the server while streams are open, and follow a link to an event that is gone.
test.use({ allowedErrors: /WebSocket connection to .* failed|ERR_CONNECTION_(REFUSED|RESET)|around=1000-1/ });

const live = (page: Page) => main(page).getByText('Live', { exact: true });

async function watchDevice(page: Page, { world }: Field, search = '', tab = 'data'): Promise<void> {
  const { organizationID, applicationID, devEUI } = world;
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}/${tab}${search}`);
  await expect(live(page)).toBeVisible();
}

/** Sends uplinks as fast as the server acknowledges them. */
async function burst({ gateway, device }: Field, uplinks: number): Promise<void> {
  const atOnce = 20;
  for (let sent = 0; sent < uplinks; sent += atOnce) {
    const pushes = Array.from({ length: atOnce }, () => gateway.receiveFrame(device.uplink({ fPort: 1, data })));
    expect(await Promise.all(pushes.map(({ acknowledged }) => acknowledged))).not.toContain(false);
  }
}

test('the link to the last error of a device opens its row', async ({ page, field: { world, device, network } }) => {
  await network.send(device, { data, fPort: 2 });
  // Truncated: the codec cannot decode it.
  await network.send(device, { data: data.slice(0, 2), fPort: 2 });
  await network.send(device, { data, fPort: 2 });
  const { organizationID, applicationID, devEUI } = world;
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}`);
  await follow(
    page,
    main(page).getByRole('region', { name: 'Latest values' }).getByRole('link', { name: 'UPLINK_CODEC' }),
  );
  await expect(logRows(page)).toHaveCount(4);
  await expect(logRows(page, 'UPLINK_CODEC').getByRole('button', { expanded: true })).toBeVisible();
  await expect(main(page).getByRole('button', { expanded: true })).toHaveCount(1);
});

test('a user sends an uplink as a device, sees its values and its event, and the device goes on', async ({
  page,
  field: { world, device, network },
}) => {
  await network.send(device, { data, fPort: 2 });
  const { organizationID, applicationID, devEUI } = world;
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}`);
  await button(page, 'More actions').click();
  await page.getByRole('menuitem', { name: 'Send as this device' }).click();
  const panel = page.getByRole('dialog', { name: 'Send as this device' });
  await expect(panel.getByRole('textbox', { name: 'Port' })).toHaveValue('2');
  await panel.getByRole('textbox', { name: 'Hexadecimal payload' }).fill('03 67 00 ff');
  await panel.getByRole('button', { name: 'Send uplink' }).click();
  await expect(panel.getByText('25.5 °C')).toBeVisible();
  expect(await axeViolations(page)).toEqual([]);
  await panel.getByRole('link', { name: 'Show the event' }).click();
  await expect(panel).toHaveCount(0);
  await expect(logRows(page, 'simulated')).toHaveCount(1);
  await expect(logRows(page, 'simulated').getByRole('button', { expanded: true })).toBeVisible();
  await network.send(device, { data, fPort: 2 });
  await expect(logRows(page)).toHaveCount(3);
});

test('the timeline of a device shows exchanges with MAC commands in words, lost uplinks, and goes to an hour', async ({
  page,
  field: { world, device, network },
}) => {
  await network.send(device, { data, fPort: 2 });
  device.uplink({ fPort: 2 });
  device.uplink({ fPort: 2 });
  const { organizationID, applicationID, devEUI } = world;
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}/activation`);
  await follow(page, page.getByRole('link', { name: 'Timeline' }));
  const timeline = main(page).getByRole('region', { name: 'Timeline' });
  // The changes of the device by people are in the list as well.
  const exchanges = timeline.locator('ul').first().locator('> li').filter({ hasText: 'FCnt' });
  await expect(exchanges).toHaveCount(1);

  device.ask('LinkCheckReq');
  await network.send(device, { data, fPort: 2, confirmed: true });
  await expect(exchanges).toHaveCount(2);
  const newest = exchanges.first();
  await expect(newest.getByText('Asks for a link check')).toBeVisible();
  await expect(newest.getByText('2 uplinks lost, FCnt 1 to 2')).toBeVisible();
  await expect(newest.getByText(/Link check: margin .* 1 gateway/)).toBeVisible();
  expect(await axeViolations(page)).toEqual([]);

  await page.reload();
  const figures = main(page).getByRole('region', { name: 'Figures' });
  await expect(figures).toContainText('Lost2 (50.0 %)');
  const hours = main(page).getByRole('group', { name: 'Uplinks per hour' });
  // The two uplinks are in different columns when the hour ends between them.
  await hours.getByRole('button', { name: /: (1 uplink|2 uplinks), 2 lost$/ }).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await expect(hours.getByRole('button', { name: /: 0 uplinks$/ }).nth(1)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(main(page).getByText('Nothing has happened yet')).toBeVisible();
  await button(page, 'Show the newest').click();
  await expect(exchanges).toHaveCount(2);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(newest.getByText('Asks for a link check')).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

/** Writes at the end of a code editor. */
async function append(page: Page, editor: Locator, code: string): Promise<void> {
  await editor.click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.insertText(code);
}

test('a user tries a script on received uplinks, goes to its error, and keeps a test vector', async ({
  page,
  field: { world, device, network },
}) => {
  await network.send(device, { data, fPort: 2 });
  const profile = `/organizations/${world.organizationID}/device-profiles/${world.deviceProfileID}`;
  await page.goto(profile);
  await openTab(page, 'Codec');
  const bench = main(page).getByRole('region', { name: 'Codec bench' });
  await bench.getByRole('button', { name: 'Run' }).click();
  await expect(bench.getByRole('radio', { name: 'as stored' })).toHaveCount(1);

  await choose(page, 'Payload codec', 'Custom JavaScript codec functions');
  const decoder = main(page).getByRole('textbox', { name: /decode/i });
  await rewrite(page, decoder, 'function decodeUplink({ bytes }) {\n  return { data: { level: oops } };\n}');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(bench.getByRole('alert')).toContainText('oops');
  await expect(main(page).locator('.cm-markedLine')).toHaveText(/level: oops/);
  await bench.getByRole('button', { name: 'Go to line 2 of the decoder' }).click();
  await expect(decoder).toBeFocused();

  await append(page, decoder, '\nconst oops = 16;');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(bench.getByRole('row', { name: /level/ })).toContainText('16');
  await expect(main(page).locator('.cm-markedLine')).toHaveCount(0);
  expect(await axeViolations(page)).toEqual([]);
  await bench.getByRole('button', { name: 'Save as vector' }).click();
  await submit(page, 'Update device-profile', 'device-profile has been updated');

  await page.goto(profile);
  await openTab(page, 'Codec');
  await append(page, decoder, '\nfunction Decode() {\n  return { level: 0 };\n}');
  await button(page, 'Update device-profile').click();
  await expect(page.getByRole('dialog').getByText('1 of 1 vector fails. Save anyway?')).toBeVisible();
  await answerDialog(page, 'Save anyway');
  await expectToast(page, 'device-profile has been updated');
});

test('a burst of more events than the log holds stays readable: newest on top, oldest dropped', async ({
  page,
  field,
}) => {
  await watchDevice(page, field);
  await burst(field, 1200);
  await expect(logRows(page, 'up', 'FCnt 1199')).toHaveCount(1);
  await expect(main(page).getByText(`${cap} events`, { exact: true })).toBeVisible();
  expect(await logRows(page).count()).toBeLessThan(100);
});

test('a paused log stands still and counts what it misses; clearing empties it', async ({ page, field }) => {
  const { network, device } = field;
  await watchDevice(page, field);
  await network.send(device, { fPort: 1, data });
  await expect(logRows(page, 'FCnt 0')).toHaveCount(1);
  await button(page, 'Pause').click();
  await network.send(device, { fPort: 1, data });
  await network.send(device, { fPort: 1, data });
  await expect(main(page).getByText('2 missed')).toBeVisible();
  await expect(logRows(page)).toHaveCount(1);
  await button(page, 'Resume').click();
  await network.send(device, { fPort: 1, data });
  await expect(logRows(page, 'FCnt 3')).toHaveCount(1);
  await expect(logRows(page)).toHaveCount(2);
  await button(page, 'Clear').click();
  await expect(logRows(page)).toHaveCount(0);
  await expect(main(page).getByText('0 events')).toBeVisible();
});

test('a log shows the stored events of a device, and older ones below them', async ({ page, admin, field }) => {
  // Only uplinks: a downlink of MAC commands that is too late for its gateway is an error event at any time.
  const { devEUI } = field.world;
  const stored = async () => (await admin.history.list({ devEUI, limit: 500, kinds: ['up'] })).result;
  await burst(field, 60);
  // An uplink is acknowledged before its event is stored.
  await expect.poll(stored).toHaveLength(60);
  await watchDevice(page, field, '?kind=up');
  await expect(main(page).getByText('50 events', { exact: true })).toBeVisible();
  await field.network.send(field.device, { fPort: 1, data });
  await expect(main(page).getByText('51 events', { exact: true })).toBeVisible();
  await page.reload();
  await expect(main(page).getByText('50 events', { exact: true })).toBeVisible();
  await expect(logRows(page, 'FCnt 60')).toHaveCount(1);
  await button(page, 'Load older').scrollIntoViewIfNeeded();
  expect(await stored()).toHaveLength(61);
  await expect(main(page).getByText('61 events', { exact: true })).toBeVisible();
  await expect(main(page).getByText(/Stored since .* removed after 30 days or 10,000 events/)).toBeVisible();
});

test('a link opens the log around one event, which a filter has found', async ({ page, context, field }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await field.network.send(field.device, { fPort: 7, data });
  await burst(field, 60);
  await watchDevice(page, field);
  await main(page).getByRole('textbox', { name: 'FPort' }).fill('7');
  await expect(main(page).getByText('1 event', { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/port=7/);
  expect(await axeViolations(page)).toEqual([]);
  await logRows(page, 'FCnt 0').getByRole('button').click();
  await button(page, 'Copy link').click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.goto(link);
  await expect(logRows(page, 'FCnt 0').getByRole('button', { expanded: true })).toBeInViewport();
  await expect(main(page).getByRole('textbox', { name: 'FPort' })).toHaveValue('');
  await page.goto(link.replace(/event=.*/, 'event=1000-1'));
  await expect(main(page).getByText(/no longer stored: events are stored for 30 days/)).toBeVisible();
  await button(page, 'Show the newest events').click();
  await expect(logRows(page, 'FCnt 60')).toHaveCount(1);
});

test('what a pause and a lost connection leave out is loaded, each event once', async ({
  page,
  context,
  hilltop,
  field,
}) => {
  await watchDevice(page, field);
  await field.network.send(field.device, { fPort: 1, data });
  await expect(logRows(page)).toHaveCount(1);
  await button(page, 'Pause').click();
  await burst(field, 20);
  await expect(main(page).getByText('20 missed')).toBeVisible();
  await button(page, 'Load them').click();
  await expect(main(page).getByText('21 events', { exact: true })).toBeVisible();
  await button(page, 'Resume').click();

  await context.setOffline(true);
  await hilltop.stop('SIGKILL');
  await hilltop.start();
  await field.gateway.online();
  await burst(field, 20);
  await context.setOffline(false);
  await expect(main(page).getByText('41 events', { exact: true })).toBeVisible();
  await expect(main(page).getByText(/not shown here/)).toHaveCount(0);
  const counters = await logRows(page).locator('[data-name=fCnt]').allInnerTexts();
  const newest = counters.map((text) => Number(text.replace(/\D/g, '')));
  expect(newest).toEqual(newest.map((_, index) => 40 - index));
});

test('the frames of a device are stored: reloaded, older, filtered, linked to and downloaded', async ({
  page,
  context,
  field,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { device, network, world } = field;
  device.ask('LinkCheckReq');
  await network.send(device, { fPort: 1, data });
  await burst(field, 60);
  // Downlinks of MAC commands are sent at any time.
  await watchDevice(page, field, '?kind=uplink', 'frames');
  await expect(logRows(page, 'FCnt 60')).toHaveCount(1);
  await network.send(device, { fPort: 1, data });
  await expect(logRows(page, 'FCnt 61')).toHaveCount(1);
  await page.reload();
  await expect(main(page).getByText('50 frames', { exact: true })).toBeVisible();
  await expect(logRows(page, 'FCnt 61')).toHaveCount(1);
  await button(page, 'Load older').scrollIntoViewIfNeeded();
  await expect(main(page).getByText('62 frames', { exact: true })).toBeVisible();
  await expect(main(page).getByText(/Stored since .* removed after 30 days or 10,000 events/)).toBeVisible();

  await main(page).getByRole('textbox', { name: 'DevAddr, EUI or MAC command' }).fill('linkcheckreq');
  await expect(main(page).getByText('1 frame', { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/q=linkcheckreq/);
  expect(await axeViolations(page)).toEqual([]);
  const saved = page.waitForEvent('download');
  await button(page, 'Download').click();
  await page.getByRole('menuitem', { name: 'All that match (CSV)' }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe(`device-${world.devEUI}-frames.csv`);
  const [, ...rows] = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
  expect(rows).toHaveLength(1);
  expect(rows[0]).toContain(',UnconfirmedDataUp,');
  expect(rows[0]).toContain(',LinkCheckReq,');
  await logRows(page, 'FCnt 0').getByRole('button').click();
  await button(page, 'Copy link').click();
  await page.goto(await page.evaluate(() => navigator.clipboard.readText()));
  await expect(logRows(page, 'FCnt 0').getByRole('button', { expanded: true })).toBeInViewport();

  await page.goto(page.url().replace(/\?.*/, '?kind=uplink'));
  await expect(main(page).getByText('50 frames', { exact: true })).toBeVisible();
  await button(page, 'Pause').click();
  await burst(field, 20);
  await expect(main(page).getByText('20 missed')).toBeVisible();
  await button(page, 'Load them').click();
  await expect(main(page).getByText('70 frames', { exact: true })).toBeVisible();
});

test('everything of one FPort can be downloaded as CSV', async ({ page, field }) => {
  const { world, network, device } = field;
  for (const fPort of [1, 2, 1]) await network.send(device, { fPort, data });
  await watchDevice(page, field);
  await main(page).getByRole('textbox', { name: 'FPort' }).fill('1');
  await expect(main(page).getByText('2 events', { exact: true })).toBeVisible();
  const saved = page.waitForEvent('download');
  await button(page, 'Download').click();
  await page.getByRole('menuitem', { name: 'All that match (CSV)' }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe(`device-${world.devEUI}-events.csv`);
  const [head, ...rows] = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
  expect(head).toMatch(/^\uFEFFtime,kind,fCnt,fPort,.*,temperatureSensor\.3$/);
  expect(rows.map((row) => row.split(',').slice(1, 4))).toEqual([
    ['up', '2', '1'],
    ['up', '0', '1'],
  ]);
});

test('the log of a device and of a gateway can be downloaded', async ({ page, field }) => {
  const { network, device, world } = field;
  const download = async (name: string, choose?: string) => {
    const saved = page.waitForEvent('download');
    await button(page, 'Download').click();
    if (choose) await page.getByRole('menuitem', { name: choose }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe(name);
    return JSON.parse(await readFile(await file.path(), 'utf8')) as Record<string, never>[];
  };
  await watchDevice(page, field);
  await network.send(device, { fPort: 1, data });
  await network.send(device, { fPort: 1, data });
  await expect(logRows(page)).toHaveCount(2);
  const events = await download(`device-${world.devEUI}.json`, 'Shown events (JSON)');
  expect(events).toMatchObject([
    { type: 'up', payload: { fCnt: 1, devEUI: world.devEUI } },
    { type: 'up', payload: { fCnt: 0 } },
  ]);

  await page.goto(`/organizations/${world.organizationID}/gateways/${world.gatewayID}/frames`);
  await expect(logRows(page, 'UnconfirmedDataUp')).toHaveCount(2);
  const frames = await download(`gateway-${world.gatewayID}.json`);
  const uplink = { phyPayload: { mhdr: { mType: 'UnconfirmedDataUp' } }, rxInfo: [{ gatewayID: world.gatewayID }] };
  // The first uplink may be answered before the second.
  const uplinks = frames.filter((frame) => JSON.stringify(frame).includes('UnconfirmedDataUp'));
  expect(uplinks).toMatchObject([uplink, uplink]);
});

test('a lost connection is shown, and the repeated tail after a reconnect is not shown twice', async ({
  page,
  hilltop,
  field,
}) => {
  const { network, device, gateway } = field;
  await watchDevice(page, field);
  await network.send(device, { fPort: 1, data });
  await network.send(device, { fPort: 1, data });
  await expect(logRows(page)).toHaveCount(2);
  await hilltop.stop('SIGKILL');
  await expect(main(page).getByText('Not connected to Websocket API')).toBeVisible();
  await hilltop.start();
  await expect(live(page)).toBeVisible();
  const pulls = gateway.counts.pullsAcknowledged;
  await expect.poll(() => gateway.counts.pullsAcknowledged).toBeGreaterThan(pulls);
  await network.send(device, { fPort: 1, data });
  await expect(logRows(page, 'FCnt 2')).toHaveCount(1);
  await expect(logRows(page)).toHaveCount(3);
});
