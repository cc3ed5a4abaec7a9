import { Gateway, Location } from '@hilltop/contract';
import { entriesOf, givenValues, locationOf, readMessage, removesPosition } from './message-values.ts';
import { type GatewayNames, resolveField } from './names.ts';
import type { RowProblem } from './plan.ts';
import type { RowValues } from './values.ts';

const ownFields = ['name', 'description', 'discoveryEnabled'] as const;

/** The gateway of a row: `before` is the existing one that it updates. Of an empty cell, only `removed` says something. */
export function readGatewayRecord(
  values: RowValues,
  { names, organizationID, removed }: { names: GatewayNames; organizationID: string; removed: ReadonlySet<string> },
  before: Gateway | undefined,
): { record: Gateway | undefined; problems: RowProblem[] } {
  const problems: RowProblem[] = [];
  const id = values.get('id')!;
  const find = (records: Parameters<typeof resolveField>[0], field: string) =>
    resolveField(records, { field, text: values.get(field), problems }) as { id: string | number } | undefined;
  const only = names.servers.byID.size === 1 ? names.servers.byID.values().next().value : undefined;
  const server = find(names.servers, 'networkServer') ?? (before ? undefined : only);
  const serviceProfile = find(names.serviceProfiles, 'serviceProfile');
  const gatewayProfile = find(names.gatewayProfiles, 'gatewayProfile');
  if (!before && !server && !values.has('networkServer'))
    problems.push({ field: 'networkServer', text: 'Must be given.' });
  const position = locationOf(values, before?.location ?? null, problems);
  const location = position ? readMessage(Location, position, problems) : undefined;
  const none = { latitude: 0, longitude: 0, altitude: 0, source: 'UNKNOWN', accuracy: 0 };
  const record = readMessage(
    Gateway,
    {
      ...before,
      name: before?.name ?? id,
      id,
      organizationID,
      ...(removed.has('description') && { description: '' }),
      ...givenValues(Gateway, values, ownFields),
      ...(server && { networkServerID: before?.networkServerID ?? String(server.id) }),
      ...(serviceProfile && { serviceProfileID: before?.serviceProfileID || serviceProfile.id }),
      ...(gatewayProfile && { gatewayProfileID: gatewayProfile.id }),
      location: location ?? (removesPosition(removed) ? none : (before?.location ?? none)),
      tags: entriesOf(values, 'tag', { before: before?.tags, removed }),
    },
    problems,
  );
  return { record: problems.length === 0 ? record : undefined, problems };
}
