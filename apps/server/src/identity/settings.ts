import { type SettingsOf, wholeNumber } from '../setting-schemas.ts';

/** How long users stay signed in. */
export const userSessionSettings = {
  sessionIdleMinutes: wholeNumber(0, 525_600)
    .default(0)
    .meta({ help: 'minutes without use after which a session ends; 0: only by its length' }),
  sessionMaxMinutes: wholeNumber(0, 525_600)
    .default(0)
    .meta({ help: 'minutes a session lasts at most, whatever is set for the user; 0: no limit' }),
};
export type UserSessionSettings = SettingsOf<typeof userSessionSettings>;
