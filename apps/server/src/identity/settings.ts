import { type SettingsOf, wholeNumber } from '../setting-schemas.ts';

/** How long users stay signed in. */
export const userSessionSettings = {
  sessionIdleMinutes: wholeNumber(0, 525_600)
    .default(0)
    .meta({ help: 'minutes without use after which a user session ends; 0: never' }),
  sessionMaxMinutes: wholeNumber(0, 525_600)
    .default(0)
    .meta({ help: 'longest duration of a user session in minutes, whatever is set for the user; 0: no limit' }),
};
export type UserSessionSettings = SettingsOf<typeof userSessionSettings>;
