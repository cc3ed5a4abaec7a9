import { readFile } from 'node:fs/promises';
import { createDevice, createNetwork, startGateway } from '@hilltop/simulator';
import { writeSeries } from '../apps/server/src/testing/write-series.ts';
import { writeHistory } from '../scripts/demo/history.ts';
import { expect, test } from './journey.ts';
import { button, main } from './steps.ts';
import { activate, buildWorld, randomHex } from './world.ts';

test('the charts of a gateway cover the selected range, and those without data collapse to one line', async ({
  admin,
  hilltop,
  page,
}) => {
  const { organizationID, gatewayID } = await buildWorld(admin, 'charted');
  const counters = { rx_count: 8, rx_ok_count: 7, rx_dr_5: 7 };
  writeHistory(hilltop.data, [{ subject: `gateway:${gatewayID}`, at: Date.now() - 60_000, counters }]);
  const address = `/organizations/${organizationID}/gateways/${gatewayID}`;
  await page.goto(address);
  const received = main(page).getByRole('region', { name: 'Received', exact: true });
  const range = main(page).getByRole('radiogroup', { name: 'Range of the charts' });
  await expect(received.getByRole('img', { name: /^Received, 30 days\. Latest, .*: rx received 7\.$/ })).toBeVisible();
  await expect(range.getByRole('radio', { name: '30 days' })).toBeChecked();

  await range.getByRole('radio', { name: '24 hours' }).focus();
  await page.keyboard.press('Space');
  await expect(page).toHaveURL(`${address}?range=24h`);
  await expect(received.getByRole('img', { name: /^Received, 25 hours\. Latest, .*: rx received 7\.$/ })).toBeVisible();
  await page.reload();
  await expect(received.getByRole('img', { name: /25 hours/ })).toBeVisible();

  await range.getByRole('radio', { name: '7 days' }).focus();
  await page.keyboard.press('Space');
  await expect(
    received.getByRole('img', { name: /^Received, 169 hours\. Latest, .*: rx received 7\.$/ }),
  ).toBeVisible();

  const transmitted = main(page).getByRole('region', { name: 'Transmitted', exact: true });
  await expect(transmitted.getByText('No data available.')).toBeVisible();
  expect((await transmitted.boundingBox())!.height).toBeLessThan(80);
});

const hourMs = 3_600_000;
/** The time that one point of a chart of 30 days covers. */
const pointMs = 2 * hourMs;

/** Thirty days, up to `endMs`, of a temperature that is the number of the day. */
const temperatures = (endMs: number, offset: number) =>
  Array.from({ length: 30 * 24 }, (_, index) => ({
    at: endMs - (30 * 24 - index) * hourMs + 60_000,
    decoded: { temperatureSensor: { 1: Math.floor(index / 24) + offset } },
    note: { bestRSSI: -80 },
  }));

test('a temperature of 30 days is shown beside that of another device, zoomed, followed live, and saved as CSV', async ({
  admin,
  hilltop,
  page,
}) => {
  const { organizationID, applicationID, devEUI, gatewayID, deviceProfileID } = await buildWorld(admin, 'values');
  const twinEUI = randomHex(8);
  await admin.device.create({ device: { devEUI: twinEUI, name: 'cellar', applicationID, deviceProfileID } });
  // The temperature changes between two points: a point with two values would get more columns in the CSV file.
  const endMs = Math.floor(Date.now() / pointMs) * pointMs;
  await writeSeries(hilltop.data, devEUI, temperatures(endMs, 0));
  await writeSeries(hilltop.data, twinEUI, temperatures(endMs, 100));
  const address = `/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}`;
  await page.goto(address);
  await main(page)
    .getByRole('link', { name: 'Values', exact: true })
    .or(main(page).getByRole('tab', { name: 'Values' }))
    .click();
  const chart = main(page).getByRole('region', { name: 'temperatureSensor', exact: true });
  await expect(chart.getByRole('img', { name: /from 2[23] °C to 29 °C, last 29 °C/ })).toBeVisible();

  await main(page).getByText('30 d', { exact: true }).click();
  await expect(page).toHaveURL(`${address}/values?range=30d`);
  await main(page)
    .getByRole('combobox', { name: 'Compare with' })
    .or(main(page).getByRole('textbox', { name: 'Compare with' }))
    .fill('cell');
  await page.getByRole('option', { name: 'cellar' }).click();
  await expect(page).toHaveURL(`${address}/values?range=30d&with=${twinEUI}`);
  const drawing = chart.getByRole('img', { name: /thermometer, from 0 °C to 29 °C.*cellar, from 100 °C to 129 °C/ });
  await expect(drawing).toBeVisible();
  await page.reload();
  await expect(drawing).toBeVisible();

  const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'CSV').click()]);
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
  const columns = lines[0]!.split(',');
  const [own, other] = ['thermometer', 'cellar'].map((name) => columns.indexOf(`temperatureSensor ${name} (°C)`));
  expect([own, other]).not.toContain(-1);
  const rows = lines.slice(1).map((line) => line.split(','));
  const drawn = rows.filter((row) => row[own!] !== '');
  expect(drawn.length).toBeGreaterThan(300);
  for (const row of drawn) expect(Number(row[other!]) - Number(row[own!])).toBeCloseTo(100);
  await expect(chart.getByText(`${drawn.at(-1)![own!]} °C`, { exact: true })).toBeVisible();

  const area = (await drawing.boundingBox())!;
  await page.mouse.move(area.x + area.width * 0.7, area.y + 50);
  await page.mouse.down();
  await page.mouse.move(area.x + area.width * 0.9, area.y + 50, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/from=.*&to=/);
  await expect(chart.getByRole('img', { name: /thermometer, from (1|2)\d °C to 2\d °C/ })).toBeVisible();
  await chart.locator('canvas').dblclick();
  await expect(page).toHaveURL(`${address}/values?range=30d&with=${twinEUI}`);

  const device = createDevice({ devEUI, session: await activate(admin, devEUI), adr: false });
  const gateway = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID });
  await gateway.online();
  const network = createNetwork({ gateways: [gateway] });
  await network.send(device, { data: Uint8Array.of(1, 0x67, 1, 0xf4), fPort: 2 });
  await expect(main(page).getByRole('region', { name: 'Now' }).getByText('50 °C')).toBeVisible();
  await expect(chart.getByRole('img', { name: /thermometer, from 0 °C to 50 °C, last/ })).toBeVisible();
  network.stop();
  await gateway.stop();
});
