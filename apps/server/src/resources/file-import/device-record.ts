import { Device, DeviceActivation, DeviceKeys, deviceName, Location, refusal } from '@hilltop/contract';
import type { UsedNonces } from '../device/used-nonces.ts';
import { entriesOf, givenValues, locationOf, readMessage, removesPosition } from './message-values.ts';
import { type DeviceNames, resolveField } from './names.ts';
import { readUsedNonces } from './nonce-cells.ts';
import type { RowProblem } from './plan.ts';
import type { RowValues } from './values.ts';

/** What one row makes of a device. */
export interface DeviceRecord {
  device: Device;
  /** Null: the row has no root keys. */
  keys: DeviceKeys | null;
  /** Null: the row has no session. */
  session: DeviceActivation | null;
  /** Null: the row has no position. */
  location: Location | null;
  removesPosition: boolean;
  nonces: UsedNonces;
}

const ownFields = ['name', 'description', 'isDisabled', 'skipFCntCheck', 'referenceAltitude'] as const;
const namePattern = new RegExp(deviceName.pattern, 'u');

/** The device of a row: `before` is the existing one that it updates. Of an empty cell, only `removed` says something. */
export function readDeviceRecord(
  values: RowValues,
  { names, removed }: { names: DeviceNames; removed: ReadonlySet<string> },
  before: { device: Device; location: Location | null } | undefined,
): { record: DeviceRecord | undefined; problems: RowProblem[] } {
  const problems: RowProblem[] = [];
  const devEUI = values.get('devEUI')!;
  const application = resolveField(names.applications, {
    field: 'application',
    text: values.get('application'),
    problems,
  });
  const profile = resolveField(names.profiles, { field: 'deviceProfile', text: values.get('deviceProfile'), problems });
  const device = readMessage(
    Device,
    {
      ...before?.device,
      devEUI,
      ...(removed.has('description') && { description: '' }),
      ...givenValues(Device, values, ownFields),
      ...(application && { applicationID: String(application.id) }),
      ...(profile && { deviceProfileID: profile.id }),
      tags: entriesOf(values, 'tag', { before: before?.device.tags, removed }),
      variables: entriesOf(values, 'var', { before: before?.device.variables, removed }),
    },
    problems,
  );
  if (device?.name === '') device.name = devEUI;
  if (device && device.name !== before?.device.name && !namePattern.test(device.name))
    problems.push({ field: 'name', text: deviceName.message });
  const used = device && names.profiles.byID.get(device.deviceProfileID);
  const owner = device && names.applications.byID.get(device.applicationID);
  if (used && owner && used.network_server_id !== owner.network_server_id)
    problems.push({
      field: 'deviceProfile',
      text: 'This device-profile is on another network-server than the application.',
    });
  const previous = before && names.applications.byID.get(before.device.applicationID);
  if (previous && owner && owner.service_profile_id !== previous.service_profile_id)
    problems.push({ field: 'application', text: refusal('OTHER_SERVICE_PROFILE').message });
  const keys = readKeys(
    values,
    { devEUI, isFirstGeneration: (used?.mac_version ?? '1.0').startsWith('1.0') },
    problems,
  );
  const session = readSession(values, devEUI, problems);
  const nonces = readUsedNonces(values, problems);
  const position = locationOf(values, before?.location ?? null, problems);
  const location = position ? readMessage(Location, position, problems) : null;
  if (
    problems.length > 0 ||
    !device ||
    keys === undefined ||
    session === undefined ||
    location === undefined ||
    !nonces
  )
    return { record: undefined, problems };
  return {
    record: { device, keys, session, location, removesPosition: removesPosition(removed), nonces },
    problems,
  };
}

/** A device of LoRaWAN 1.0 has one root key, which files call AppKey and the API `nwkKey`. */
function readKeys(
  values: RowValues,
  { devEUI, isFirstGeneration }: { devEUI: string; isFirstGeneration: boolean },
  problems: RowProblem[],
): DeviceKeys | null | undefined {
  const [nwkKey, appKey] = [values.get('nwkKey'), values.get('appKey')];
  if (nwkKey === undefined && appKey === undefined) return null;
  const isOnlyKey = nwkKey === undefined && isFirstGeneration;
  return readMessage(DeviceKeys, { devEUI, ...(isOnlyKey ? { nwkKey: appKey } : { nwkKey, appKey }) }, problems);
}

const networkKeys = ['nwkSEncKey', 'sNwkSIntKey', 'fNwkSIntKey'] as const;
const counters = ['fCntUp', 'nFCntDown', 'aFCntDown'] as const;
const lastNames = { fCntUp: 'lastFCntUp', nFCntDown: 'lastNFCntDown', aFCntDown: 'lastAFCntDown' } as const;

/** Of a LoRaWAN 1.0 device, one network session key is all three. */
function readSession(values: RowValues, devEUI: string, problems: RowProblem[]): DeviceActivation | null | undefined {
  const [devAddr, appSKey] = [values.get('devAddr'), values.get('appSKey')];
  const anyKey = networkKeys.map((name) => values.get(name)).find((key) => key !== undefined);
  if (devAddr === undefined && appSKey === undefined && anyKey === undefined) return null;
  const keys = Object.fromEntries(networkKeys.map((name) => [name, values.get(name) ?? anyKey]));
  const counts = Object.fromEntries(
    counters.map((name) => [name, values.get(name) ?? following(values.get(lastNames[name]))]),
  );
  return readMessage(DeviceActivation, { devEUI, devAddr, appSKey, ...keys, ...counts }, problems);
}

/** Files of The Things Stack have the last counter, the API the next one. */
const following = (last: string | undefined) =>
  last !== undefined && /^\d{1,10}$/.test(last) ? String(Number(last) + 1) : last;
