import { complete, type deviceExport, JobAction, operations, type ValueOf } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import { loadUsedNonces } from '../device/used-nonces.ts';
import { type DeviceNames, loadDeviceNames, nameOrID } from '../file-import/names.ts';
import { devNoncesText } from '../file-import/nonce-cells.ts';
import { selectedDevices } from '../job-kinds/selection.ts';
import type { CallForFile, DownloadFile } from './file.ts';
import { type FileRow, MapNames, type TableFormat, tableFile } from './table-file.ts';

type Request = ValueOf<typeof deviceExport.request>;

export interface ExportDependencies {
  database: Database;
  clock: Clock;
}

const columns = [
  ...['devEUI', 'name', 'description', 'application', 'deviceProfile', 'isDisabled', 'skipFCntCheck'],
  ...['referenceAltitude', 'latitude', 'longitude', 'altitude'],
] as const;
const keyColumns = ['nwkKey', 'appKey', 'joinNonce', 'devNonces'] as const;
const sessionColumns = [
  ...(['devAddr', 'appSKey', 'nwkSEncKey', 'sNwkSIntKey', 'fNwkSIntKey'] as const),
  ...(['fCntUp', 'nFCntDown', 'aFCntDown'] as const),
] as const;

/** Devices read at a time. */
const atOnce = 20;

/** Devices in the columns that an import reads. */
export const deviceFile =
  (format: TableFormat) =>
  (request: Request, call: CallForFile, needs: ExportDependencies): DownloadFile => ({
    name: `devices.${format.toLowerCase()}`,
    parts: parts(format, request, call, needs),
  });

async function* parts(
  format: TableFormat,
  request: Request,
  call: CallForFile,
  needs: ExportDependencies,
): AsyncGenerator<string> {
  const names = await loadDeviceNames(needs.database, Number(request.organizationID));
  const mapNames = format === 'CSV' ? await mapNamesOf(needs, request) : [];
  const own = [...columns, ...(request.withKeys ? keyColumns : []), ...(request.withSessions ? sessionColumns : [])];
  yield* tableFile(format, { columns: own, mapNames }, rows(request, call, { ...needs, names }));
}

async function* rows(
  request: Request,
  call: CallForFile,
  needs: ExportDependencies & { names: DeviceNames },
): AsyncGenerator<FileRow[]> {
  for await (const devEUIs of pagesOf(needs, request))
    for (let at = 0; at < devEUIs.length; at += atOnce) {
      const read = devEUIs.slice(at, at + atOnce).map((devEUI) => rowOf(devEUI, request, call, needs));
      yield (await Promise.all(read)).filter((row) => row !== undefined);
    }
}

async function* pagesOf(needs: ExportDependencies, request: Request): AsyncGenerator<string[]> {
  for await (const page of selectedDevices(needs, orderOf(request))) yield page.map(({ subject }) => subject);
}

/** Undefined for a device that was deleted meanwhile, or that the person may not read. */
async function rowOf(
  devEUI: string,
  { withKeys, withSessions }: Request,
  call: CallForFile,
  { database, names }: ExportDependencies & { names: DeviceNames },
): Promise<FileRow | undefined> {
  const found = await call(operations.device.get, { devEUI, include: '' });
  if (!found || !names.applications.byID.has(found.device.applicationID)) return undefined;
  const keys = withKeys && (await call(operations.device.getKeys, { devEUI }))?.deviceKeys;
  const nonces = keys && (await loadUsedNonces(database, devEUI));
  const session = withSessions && (await call(operations.device.getActivation, { devEUI }))?.deviceActivation;
  const { device, location } = found;
  const { applicationID, deviceProfileID, variables, tags, ...own } = device;
  return {
    ...own,
    application: nameOrID(names.applications, applicationID),
    deviceProfile: nameOrID(names.profiles, deviceProfileID),
    ...(location && { latitude: location.latitude, longitude: location.longitude, altitude: location.altitude }),
    ...(keys && { nwkKey: keys.nwkKey, appKey: /^0*$/.test(keys.appKey) ? '' : keys.appKey }),
    ...(nonces && { joinNonce: nonces.joinNonce, devNonces: devNoncesText(nonces.devNonces) }),
    ...(session && session),
    ...prefixed('tag', tags),
    ...prefixed('var', variables),
  };
}

const everything = { ids: [], applicationID: '0', search: '', filter: [], except: [], all: true };

/** The records of an export are found as those of a job. */
export function orderOf({ organizationID, selection }: Pick<Request, 'organizationID' | 'selection'>) {
  const action = complete(JobAction, {});
  return { organizationID: Number(organizationID), parameters: { action, selection: selection ?? everything } };
}

/** The cells of a map, such as `tag.floor`. */
export const prefixed = (map: string, values: Readonly<Record<string, string>>): FileRow =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${map}.${name}`, value]));

/** The columns of all tags and variables. */
async function mapNamesOf(needs: ExportDependencies, request: Request): Promise<string[]> {
  const names = new MapNames();
  for await (const devEUIs of pagesOf(needs, request)) {
    const found = await needs.database.query
      .selectFrom('device')
      .select(['tags', 'variables'])
      .where('dev_eui', 'in', devEUIs)
      .execute();
    if (!found.every(({ tags, variables }) => names.add('tag', tags) && names.add('var', variables))) break;
  }
  return names.sorted();
}
