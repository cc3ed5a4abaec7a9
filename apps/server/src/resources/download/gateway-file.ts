import { type gatewayExport, operations, type ValueOf } from '@hilltop/contract';
import { type GatewayNames, loadGatewayNames, nameOrID } from '../file-import/names.ts';
import { selectedGateways } from '../job-kinds/selection.ts';
import { type ExportDependencies, orderOf, prefixed } from './device-file.ts';
import type { CallForFile, DownloadFile } from './file.ts';
import { type FileRow, MapNames, type TableFormat, tableFile } from './table-file.ts';

type Request = ValueOf<typeof gatewayExport.request>;

const columns = [
  ...['id', 'name', 'description', 'networkServer', 'gatewayProfile', 'serviceProfile', 'discoveryEnabled'],
  ...['latitude', 'longitude', 'altitude'],
] as const;

/** Gateways in the columns that an import reads. */
export const gatewayFile =
  (format: TableFormat) =>
  (request: Request, call: CallForFile, needs: ExportDependencies): DownloadFile => ({
    name: `gateways.${format.toLowerCase()}`,
    parts: parts(format, request, call, needs),
  });

async function* parts(
  format: TableFormat,
  request: Request,
  call: CallForFile,
  needs: ExportDependencies,
): AsyncGenerator<string> {
  const names = await loadGatewayNames(needs.database, Number(request.organizationID));
  const mapNames = format === 'CSV' ? await mapNamesOf(needs, request) : [];
  yield* tableFile(format, { columns, mapNames }, rows(request, call, { ...needs, names }));
}

async function* rows(
  request: Request,
  call: CallForFile,
  needs: ExportDependencies & { names: GatewayNames },
): AsyncGenerator<FileRow[]> {
  for await (const ids of pagesOf(needs, request)) {
    const page: FileRow[] = [];
    for (const id of ids) {
      const row = await rowOf(id, request, call, needs.names);
      if (row) page.push(row);
    }
    yield page;
  }
}

async function* pagesOf(needs: ExportDependencies, request: Request): AsyncGenerator<string[]> {
  for await (const page of selectedGateways(needs, orderOf(request))) yield page.map(({ subject }) => subject);
}

async function rowOf(
  id: string,
  { organizationID }: Request,
  call: CallForFile,
  names: GatewayNames,
): Promise<FileRow | undefined> {
  const found = await call(operations.gateway.get, { id, include: '' });
  if (found?.gateway.organizationID !== organizationID) return undefined;
  const { name, description, location, discoveryEnabled, tags, ...of } = found.gateway;
  return {
    id,
    name,
    description,
    discoveryEnabled,
    networkServer: nameOrID(names.servers, of.networkServerID),
    gatewayProfile: nameOrID(names.gatewayProfiles, of.gatewayProfileID),
    serviceProfile: nameOrID(names.serviceProfiles, of.serviceProfileID),
    ...(location && { latitude: location.latitude, longitude: location.longitude, altitude: location.altitude }),
    ...prefixed('tag', tags),
  };
}

/** The columns of all tags. */
async function mapNamesOf(needs: ExportDependencies, request: Request): Promise<string[]> {
  const names = new MapNames();
  for await (const ids of pagesOf(needs, request)) {
    const found = await needs.database.query.selectFrom('gateway').select('tags').where('id', 'in', ids).execute();
    if (!found.every(({ tags }) => names.add('tag', tags))) break;
  }
  return names.sorted();
}
