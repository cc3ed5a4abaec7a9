/** The instances on one database. The recorded API has no instances. */
import { admins, globally } from './access.ts';
import { get, ownOperationsOf, page } from './operation.ts';
import {
  bool,
  count,
  double,
  enumeration,
  int64,
  list,
  listOf,
  message,
  oneOf,
  optional,
  text,
  timestamp,
  type ValueOf,
} from './wire.ts';

export const InstanceFigures = message('hilltop.InstanceFigures', {
  gateways: count({ label: 'Gateways', help: 'Those whose downlinks leave through it.' }),
  copiesPerSecond: double({ label: 'Received', help: 'Uplink copies received from gateways in the last minute.' }),
  uplinksPerSecond: double({ label: 'Uplinks', help: 'Uplinks processed in the last minute.' }),
  downlinksPerSecond: double({ label: 'Downlinks', help: 'Downlinks sent in the last minute.' }),
  lagMs: double({ label: 'Lag', unit: 'ms', help: '99th percentile of the event loop delay.' }),
});

export type InstanceFigures = ValueOf<typeof InstanceFigures>;

export const Instance = message('hilltop.Instance', {
  id: text({ label: 'ID', help: 'New at each start.' }),
  name: text({ label: 'Name', help: 'HILLTOP_INSTANCE_NAME, or the name of its machine.' }),
  version: text({ label: 'Version' }),
  startedAt: timestamp({ label: 'Started' }),
  isAnswering: bool({ label: 'Serves this call' }),
  listens: list(text(), { label: 'Listens', help: 'Where it does and what for, as its settings say.' }),
  figures: optional(InstanceFigures, { help: 'Null when it did not say them in time.' }),
});
export type Instance = ValueOf<typeof Instance>;

const Surrounding = enumeration('hilltop.Surrounding', ['DATABASE', 'REDIS']);

export const instance = ownOperationsOf('instance', {
  list: get('/api/instances', {
    summary: 'List the processes that use the database, the longest-running first',
    request: message('hilltop.ListInstancesRequest', page),
    response: message('hilltop.ListInstancesResponse', {
      totalCount: int64(),
      result: listOf(Instance),
      isAlone: bool({ help: 'This instance runs alone: HILLTOP_REDIS_URL is not set.' }),
      isArchive: bool({ help: 'This instance was installed from an archive, whose commands begin with ./hilltop.' }),
    }),
    access: globally(...admins),
  }),
  getSurroundings: get('/api/instances/surroundings', {
    summary: 'List dependencies that this instance cannot reach',
    response: message('hilltop.GetSurroundingsResponse', { away: list(oneOf(Surrounding)) }),
    access: globally('anyUser'),
  }),
});
