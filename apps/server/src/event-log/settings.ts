import { duration, type SettingsOf, size, wholeNumber } from '../setting-schemas.ts';

/** The most that the setting `eventHistory` may be. */
export const mostEventHistory = 10_000;

export const eventLogSettings = {
  eventHistory: wholeNumber(0, mostEventHistory)
    .default(10)
    .meta({ help: 'events of a device that its event stream begins with', mustMatch: true }),
  eventLogKeep: duration(
    { least: '0s', most: '90d', usual: '24h' },
    'how long events stay in the log, for replays to integrations',
  ),
  eventLogMax: size
    .prefault('4GB')
    .meta({ help: 'size of the log in the embedded database; beyond it the oldest events go', usual: '4GB' }),
};
export type EventLogSettings = SettingsOf<typeof eventLogSettings>;
