/** Devices that are registered at a server already, from a CSV or JSON file. */
import { readFileSync } from 'node:fs';
import { type Fleet, personalizedDevice } from './fleet.ts';

const columns = { devEUI: 16, devAddr: 8, nwkSKey: 32, appSKey: 32 } as const;
type RegisteredDevice = Record<keyof typeof columns, string>;

/**
 * `fCntUp`: the frame counter of the first uplink of each device.
 * @throws Error with a sentence for the user
 */
export function readFleet(file: string, fCntUp: number): Fleet {
  const rows = rowsOf(file);
  if (rows.length === 0) throw new Error(`${file} has no devices.`);
  const found = rows.map((row, at) => deviceIn(row, `${file}, device ${at + 1}`));
  const repeated = found.find(({ devEUI }, at) => found.findIndex((one) => one.devEUI === devEUI) < at);
  if (repeated) throw new Error(`${file} has the device ${repeated.devEUI} twice.`);
  return {
    devEUIs: found.map(({ devEUI }) => devEUI),
    devices: found.map(({ devEUI, devAddr, nwkSKey, appSKey }) =>
      personalizedDevice(devEUI, { devAddr, keys: { nwkSKey, appSKey }, fCntUp }),
    ),
  };
}

function rowsOf(file: string): unknown[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`--fleet ${file} cannot be read: ${(error as Error).message}.`);
  }
  return /^\s*[[{]/.test(text) ? jsonRows(file, text) : csvRows(text);
}

function jsonRows(file: string, text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {
    // The error below has the next step.
  }
  throw new Error(`${file} is no JSON list: write [{"devEUI": ..., "devAddr": ..., "nwkSKey": ..., "appSKey": ...}].`);
}

function csvRows(text: string): unknown[] {
  const [head = [], ...lines] = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1')));
  return lines.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at]])));
}

function deviceIn(row: unknown, where: string): RegisteredDevice {
  const given = new Map(Object.entries(row ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]));
  const entries = Object.entries(columns).map(([name, digits]) => {
    const value = given.get(name.toLowerCase())?.toLowerCase() ?? '';
    // The value is not repeated: it can be a key.
    if (value.length !== digits || !/^[0-9a-f]+$/.test(value))
      throw new Error(`${where}: ${name} must have ${digits} hexadecimal digits.`);
    return [name, value];
  });
  return Object.fromEntries(entries) as RegisteredDevice;
}
