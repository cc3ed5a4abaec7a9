import { z } from 'zod';
import { type SettingsOf, wholeNumber } from '../setting-schemas.ts';

/** How long users stay signed in, and with what. */
export const userSessionSettings = {
  sessionIdleMinutes: wholeNumber(0, 525_600)
    .default(0)
    .meta({ help: 'minutes without use after which a user session ends; 0: never' }),
  sessionMaxMinutes: wholeNumber(0, 525_600)
    .default(0)
    .meta({ help: 'longest duration of a user session in minutes, whatever is set for the user; 0: no limit' }),
  requireSecondFactor: z
    .enum(['none', 'admins', 'all'], { message: 'must be none, admins or all' })
    .default('none')
    .meta({
      help: 'who must have a second factor: `none`, `admins` (global administrators) or `all`; without one they can only set it up. Users of single sign-on are exempt',
    }),
};
export type UserSessionSettings = SettingsOf<typeof userSessionSettings>;
