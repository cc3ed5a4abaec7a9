import { Device } from '@hilltop/contract';
import { searchText } from '../../database/page.ts';
import { appSKeyPurpose } from '../../events/device-context.ts';
import { rootKeyPurpose } from '../../network/root-keys.ts';
import type { SourceRow } from '../source/postgres.ts';

import {
  bytes,
  flag,
  hex,
  isZero,
  number,
  optionalDate,
  optionalNumber,
  plainUUID,
  recordTimes,
  tags,
  text,
  times,
  whole,
} from '../source/read-row.ts';
import type { TargetRow } from '../target/target-rows.ts';
import { problemWith } from './contract-rules.ts';
import { buffersOf, importRows, NotImportable, rowsBy, textOfKey } from './each-row.ts';
import type { ImportPass, ImportStep } from './import-pass.ts';
import { recordRow } from './record.ts';

const what = 'devices';

export const importDevices: ImportStep = async function* (pass) {
  pass.report.count(what);
  for await (const rows of pass.database.rows('device')) {
    const devEUIs = buffersOf(rows.map((row) => textOfKey(row['dev_eui'])));
    const asked = [...pass.networks].map(
      async ([id, { database }]) => [id, await rowsBy(database, 'device', 'dev_eui', devEUIs)] as const,
    );
    const keys = await rowsBy(pass.database, 'device_keys', 'dev_eui', devEUIs);
    const there = new Map(await Promise.all(asked));
    yield importRows(pass, rows, {
      what,
      nameInReport: (row) => textOfKey(row['dev_eui']),
      problemOf,
      toTargetRows: (row) => importDevice(pass, row, keys.get(textOfKey(row['dev_eui'])), there),
    });
  }
};

const problemOf = (row: SourceRow) =>
  problemWith(Device, {
    name: text(row, 'name'),
    description: text(row, 'description'),
    tags: tags(row, 'tags'),
    variables: tags(row, 'variables'),
  });

function importDevice(
  pass: ImportPass,
  row: SourceRow,
  keys: SourceRow | undefined,
  there: ReadonlyMap<number, Map<string, SourceRow>>,
): TargetRow[] {
  const { imported, report } = pass;
  const devEUI = hex(row, 'dev_eui', 8);
  const deviceProfileID = text(row, 'device_profile_id');
  const application = imported.applications.get(number(row, 'application_id'));
  const networkServerID = imported.deviceProfiles.get(deviceProfileID);
  if (!application) throw new NotImportable('its application is not imported');
  if (networkServerID === undefined) throw new NotImportable('its device-profile is not imported');
  const wanted = [deviceRow(row, devEUI), ...keysRow(keys, devEUI)];
  const known = there.get(networkServerID);
  if (known) {
    const record = known.get(devEUI);
    if (record && text(record, 'routing_profile_id') !== pass.applicationServerID)
      throw new NotImportable(
        'it belongs to another application server, which cannot continue with this network server',
      );
    if (record && !keys && imported.joining.has(deviceProfileID))
      report.find(
        'notice',
        what,
        'it joins and has no keys: another join server has them, which must be in HILLTOP_JOIN_SERVERS, or the device cannot join again',
        devEUI,
      );
    if (!record)
      report.find('notice', what, 'its network server does not know it: it is imported without a session', devEUI);
    wanted.push(
      recordOf(pass, networkServerID, { devEUI, row, record, serviceProfileID: application.serviceProfileID }),
    );
  }
  const elsewhere = [...there].filter(([id, others]) => id !== networkServerID && others.has(devEUI));
  if (elsewhere.length > 0)
    report.find(
      'notice',
      what,
      'another network server knows this EUI, too: its data of the device is not imported',
      devEUI,
    );
  imported.devices.set(devEUI, networkServerID);
  return wanted;
}

function deviceRow(row: SourceRow, devEUI: string): TargetRow {
  const name = text(row, 'name');
  const [devAddr, appSKey] = [bytes(row, 'dev_addr', 4), bytes(row, 'app_s_key', 16)];
  const isActivated = !isZero(devAddr) || !isZero(appSKey);
  return {
    table: 'device',
    values: {
      ...times(row),
      dev_eui: devEUI,
      application_id: number(row, 'application_id'),
      device_profile_id: text(row, 'device_profile_id'),
      name,
      description: text(row, 'description'),
      tags: tags(row, 'tags'),
      variables: tags(row, 'variables'),
      search_text: searchText(name, devEUI),
      last_seen_at: optionalDate(row, 'last_seen_at'),
      dr: optionalNumber(row, 'dr'),
      dev_addr: isActivated ? devAddr.toHex() : '',
      battery_level: optionalNumber(row, 'device_status_battery'),
      external_power_source: flag(row, 'device_status_external_power_source'),
      margin: optionalNumber(row, 'device_status_margin'),
      latitude: optionalNumber(row, 'latitude'),
      longitude: optionalNumber(row, 'longitude'),
      altitude: optionalNumber(row, 'altitude'),
    },
    sealed: { app_s_key: { plain: isActivated ? appSKey : new Uint8Array(), purpose: appSKeyPurpose(devEUI) } },
    nameInReport: devEUI,
  };
}

function keysRow(row: SourceRow | undefined, devEUI: string): TargetRow[] {
  if (!row) return [];
  const key = (column: 'nwk_key' | 'app_key') => ({
    plain: bytes(row, column, 16),
    purpose: rootKeyPurpose(column, devEUI),
  });
  return [
    {
      table: 'device_keys',
      values: { ...times(row), dev_eui: devEUI, join_nonce: whole(row, 'join_nonce', [0, 0xff_ff_ff]) },
      sealed: { nwk_key: key('nwk_key'), app_key: key('app_key') },
      nameInReport: devEUI,
    },
  ];
}

function recordOf(
  { applicationServerID, report }: ImportPass,
  networkServerID: number,
  of: { devEUI: string; row: SourceRow; record: SourceRow | undefined; serviceProfileID: string },
): TargetRow {
  const { devEUI, row, record, serviceProfileID } = of;
  const mode = record ? text(record, 'mode').trim() : '';
  if (!['', 'A', 'B', 'C'].includes(mode))
    report.find('notice', what, `its class ${mode} is unknown: it becomes class A`, devEUI);
  if (record && text(record, 'service_profile_id') !== serviceProfileID)
    report.find(
      'notice',
      what,
      'its network server had an older service-profile: that of its application applies',
      devEUI,
    );
  return recordRow(networkServerID, 'device', devEUI, {
    deviceProfileID: plainUUID(text(row, 'device_profile_id')),
    serviceProfileID: plainUUID(serviceProfileID),
    routingProfileID: plainUUID(applicationServerID),
    skipFCntCheck: record ? flag(record, 'skip_fcnt_check') : false,
    referenceAltitude: record ? number(record, 'reference_altitude') : 0,
    isDisabled: record ? flag(record, 'is_disabled') : false,
    ...recordTimes(record ?? row),
  });
}
