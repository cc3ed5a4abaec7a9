/**
 * What the devices of an organization sent and received, for dashboards. Ours: the recorded API has statistics only of a
 * single device or gateway.
 */
import { first, organizationReaders } from './access.ts';
import { get, ownOperationsOf } from './operation.ts';
import { count, int64, listOf, message, timestamp, uint32, type ValueOf } from './wire.ts';

export const TrafficHour = message('hilltop.TrafficHour', {
  startsAt: timestamp(),
  uplinks: count({ label: 'Uplinks' }),
  downlinks: count({ label: 'Downlinks', help: 'Downlinks of applications that a gateway has sent.' }),
  errors: count({ label: 'Errors', help: 'Errors of devices, as in their charts.' }),
  usualUplinks: count({ label: 'Usual uplinks', help: 'The mean of the same hour on the days compared with.' }),
});
export type TrafficHour = ValueOf<typeof TrafficHour>;

export const Traffic = message('hilltop.Traffic', {
  hours: listOf(TrafficHour, { help: 'The last 24 hours, oldest first. The last one is not over.' }),
  countedFrom: timestamp({
    help: 'Absent if everything was counted; later than the first hour if counting began later.',
  }),
  countedUntil: timestamp({ help: 'Uplinks are added to the figures once a minute.' }),
  comparedDays: uint32({ help: 'How many days before the last 24 hours the usual figures are of, at most 7.' }),
});
export type Traffic = ValueOf<typeof Traffic>;

export const traffic = ownOperationsOf('traffic', {
  get: get('/api/traffic', {
    summary: 'Count uplinks, downlinks and errors of the last 24 hours, of one organization or of all',
    request: message('hilltop.GetTrafficRequest', { organizationID: int64() }),
    response: Traffic,
    access: first(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationReaders },
      { on: 'global', allow: ['globalAdmin', 'adminKey'] },
    ),
  }),
});
