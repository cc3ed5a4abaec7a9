import type { UserSessionSettings } from './settings.ts';

/** Whether a user with a password must have a second factor. */
export function isSecondFactorRequired(
  of: UserSessionSettings['requireSecondFactor'],
  { isAdmin }: { isAdmin: boolean },
): boolean {
  return of === 'all' || (of === 'admins' && isAdmin);
}
