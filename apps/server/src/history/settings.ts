import { flag, type SettingsOf, size, wholeNumber } from '../setting-schemas.ts';

export const historySettings = {
  history: flag.default(true).meta({ help: 'stores the events of devices after they leave the event log' }),
  historyDays: wholeNumber(0, 3650).default(30).meta({ help: 'days that events are stored; 0: no limit' }),
  historyEvents: wholeNumber(0, 10_000_000)
    .default(10_000)
    .meta({ help: 'events stored of a device, above which its oldest are removed; 0: no limit' }),
  historySize: size.prefault('10GB').meta({
    help: 'largest size of all stored events, above which the oldest are removed',
    usual: '10GB',
  }),
  seriesDays: wholeNumber(0, 3650)
    .default(400)
    .meta({ help: 'days that values over time are stored, by hour; 0: no limit' }),
};
export type HistorySettings = SettingsOf<typeof historySettings>;
