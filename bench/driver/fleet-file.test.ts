import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { readFleet } from './fleet-file.ts';

const device = (nth: number) => ({
  devEUI: `AB0000000000000${nth}`,
  devAddr: `0000000${nth}`,
  nwkSKey: `1${nth}`.repeat(16),
  appSKey: `2${nth}`.repeat(16),
});

function read(text: string, firstFCnt = 0) {
  const folder = mkdtempSync(join(tmpdir(), 'hilltop-fleet-'));
  try {
    const file = join(folder, 'devices');
    writeFileSync(file, text);
    return readFleet(file, firstFCnt);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('reads devices from CSV in any order of columns, and from JSON', () => {
  const { devEUI, devAddr, nwkSKey, appSKey } = device(1);
  const csv = `devaddr;"DevEUI";appSKey;nwkSKey;name\r\n${devAddr};"${devEUI}";${appSKey};${nwkSKey};Roof\r\n\r\n`;
  for (const text of [csv, JSON.stringify([device(1)])]) {
    const { devEUIs, devices } = read(text, 412);
    assert.deepEqual(devEUIs, [devEUI.toLowerCase()]);
    assert.equal(devices[0]!.session!.devAddr, devAddr);
    assert.equal(devices[0]!.session!.fCntUp, 412);
    assert.equal(devices[0]!.session!.keys.appSKey.toHex(), appSKey);
  }
});

it('names the device and the column that are wrong, without the key', () => {
  const { appSKey: _, ...without } = device(2);
  assert.throws(
    () => read(JSON.stringify([device(1), without])),
    /device 2: appSKey must have 32 hexadecimal digits\.$/,
  );
  const wrong = { ...device(1), nwkSKey: 'secret' };
  assert.throws(
    () => read(JSON.stringify([wrong])),
    ({ message }: Error) => !message.includes('secret'),
  );
  assert.throws(() => read(JSON.stringify([device(1), device(1)])), /has the device ab00000000000001 twice\.$/);
  assert.throws(() => read('devEUI,devAddr\n'), /has no devices\.$/);
  assert.throws(() => read('{"devices": []}'), /is no JSON list/);
  assert.throws(() => readFleet('/nowhere/devices.csv', 0), /^Error: --fleet \/nowhere\/devices\.csv cannot be read/);
});
