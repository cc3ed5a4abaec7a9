import { readFileSync } from 'node:fs';
import type { Download, Page } from '@playwright/test';
import { workbook } from '../apps/server/src/table-files/testing/workbook.ts';
import { expect, test } from './journey.ts';
import { button, follow, main } from './steps.ts';
import { buildWorld, randomHex } from './world.ts';

const chooseFile = async (page: Page, name: string, buffer: Buffer) => {
  await page.getByLabel('Choose a file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
  await expect(button(page, 'Choose another file')).toBeVisible();
};
const textOf = async (download: Promise<Download>) => readFileSync(await (await download).path(), 'utf8');

test('a sheet of a vendor with four wrong cells is imported, and the four rows once more', async ({ page, admin }) => {
  const { organizationID, applicationID } = await buildWorld(admin, 'vendor-sheet');
  const devices = Array.from({ length: 60 }, (_, at) => ({
    devEUI: randomHex(8),
    key: randomHex(16),
    name: `meter-${at}`,
  }));
  const rows = devices.map(({ devEUI, key, name }) => [devEUI, key, name, 'cellar']);
  const wrong = rows.map((cells, at) => {
    const [devEUI, key, name, room] = cells as [string, string, string, string];
    if (at === 3) return [{ number: '7.0276123456789E+15' }, key, name, room];
    if (at === 17) return [devEUI, `${key}00`, name, room];
    if (at === 31) return [devEUI, key, 'meter 31', room];
    return at === 59 ? [devices[0]!.devEUI, key, name, room] : cells;
  });
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}`);
  await follow(page, main(page).getByRole('link', { name: 'Import' }));
  await chooseFile(page, 'meters.xlsx', Buffer.from(workbook([['Dev EUI', 'App Key', 'Label', 'Room'], ...wrong])));
  await main(page).getByLabel('Field of Room').selectOption('tag.Room');
  // The application comes from the page, and the organization has one device-profile.
  await button(page, 'Check 60 devices').click();
  await expect(main(page).getByText('56 devices will be created. 4 rows have problems.')).toBeVisible();
  await expect(main(page).getByText('Excel turned this into a number. Format the column as text.')).toBeVisible();
  await button(page, 'Import 56 devices').click();
  await expect(main(page).getByText('56 devices imported. 4 rows not imported.')).toBeVisible();

  const saved = page.waitForEvent('download');
  await button(page, 'Download these rows').click();
  const [head, ...failed] = (await textOf(saved)).replace('\uFEFF', '').trim().split('\r\n');
  expect(head).toBe('Dev EUI,App Key,Label,Room,error');
  expect(failed).toHaveLength(4);
  const corrected = [3, 17, 31, 59].map((at) => `${rows[at]!.join(';')};`);
  await button(page, 'Import another file').click();
  await chooseFile(page, 'corrected.csv', Buffer.from([head!.replaceAll(',', ';'), ...corrected].join('\n')));
  await main(page).getByLabel('Field of Room').selectOption('tag.Room');
  await button(page, 'Check 4 devices').click();
  await button(page, 'Import 4 devices').click();
  await expect(main(page).getByText('4 devices imported.')).toBeVisible();
  const { totalCount } = await admin.device.list({ applicationID, limit: 1, filter: ['tag.Room:is:cellar'] });
  expect(totalCount).toBe('60');
  const { deviceKeys } = await admin.device.getKeys({ devEUI: devices[31]!.devEUI });
  expect(deviceKeys.nwkKey).toBe(devices[31]!.key);

  await button(page, 'Undo').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await expect(main(page).getByText('Undone: 4 devices deleted.')).toBeVisible();
});

test('exported devices are imported again with their sessions', async ({ page, admin }) => {
  const { organizationID, devEUI } = await buildWorld(admin, 'export-import');
  const keys = {
    appSKey: randomHex(16),
    nwkSEncKey: randomHex(16),
    sNwkSIntKey: randomHex(16),
    fNwkSIntKey: randomHex(16),
  };
  const deviceActivation = { devEUI, devAddr: '01020304', ...keys, fCntUp: 7, nFCntDown: 3, aFCntDown: 2 };
  await admin.device.activate({ deviceActivation });
  const before = await admin.device.get({ devEUI });
  await page.goto(`/organizations/${organizationID}/devices`);
  await button(page, 'Export').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('With root keys').check();
  await dialog.getByLabel('With sessions').check();
  const saved = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Export', exact: true }).click();
  const file = await textOf(saved);
  await admin.device.delete({ devEUI });

  await follow(page, main(page).getByRole('link', { name: 'Import' }));
  await chooseFile(page, 'devices.csv', Buffer.from(file));
  await button(page, 'Check 1 device').click();
  await button(page, 'Import 1 device').click();
  await expect(main(page).getByText('1 device imported.')).toBeVisible();
  expect(await admin.device.get({ devEUI })).toEqual(before);
  expect((await admin.device.getActivation({ devEUI })).deviceActivation).toEqual(deviceActivation);
  await follow(page, main(page).getByRole('link', { name: 'Show devices' }));
  await expect(main(page).getByRole('link', { name: 'thermometer', exact: true }).first()).toBeVisible();
});
