import { duration, type SettingsOf, size, wholeNumber } from '../setting-schemas.ts';

/** The maximum of the setting `eventHistory`. */
export const mostEventHistory = 10_000;

export const eventLogSettings = {
  eventHistory: wholeNumber(0, mostEventHistory)
    .default(10)
    .meta({ help: 'events of a device at the beginning of its event stream', mustMatch: true }),
  eventLogKeep: duration({ least: '0s', most: '90d', usual: '24h' }, 'retention of the event log, for replays'),
  eventLogMax: size.prefault('4GB').meta({
    help: 'largest size of the event log in the embedded database; above it the oldest events are removed',
    usual: '4GB',
  }),
};
export type EventLogSettings = SettingsOf<typeof eventLogSettings>;
