import type { ExpressionBuilder } from 'kysely';
import type { Tables } from '../database/tables.ts';
import type { UserSessionSettings } from './settings.ts';

export type SessionLimits = UserSessionSettings;

/** How exactly the last use of a session is stored: each update costs a write. */
export const useStepMs = 60_000;

/** The condition that a session has neither been idle nor lasted for longer than the settings allow. */
export function isLiving(
  row: ExpressionBuilder<Tables, 'session'>,
  { sessionIdleMinutes, sessionMaxMinutes }: SessionLimits,
  now: Date,
) {
  const minutesAgo = (minutes: number, more = 0) => new Date(now.getTime() - minutes * 60_000 - more);
  const lastUsed = row.fn.coalesce('session.last_used_at', 'session.created_at');
  return row.and([
    ...(sessionIdleMinutes > 0 ? [row(lastUsed, '>', minutesAgo(sessionIdleMinutes, useStepMs))] : []),
    ...(sessionMaxMinutes > 0 ? [row('session.created_at', '>', minutesAgo(sessionMaxMinutes))] : []),
  ]);
}
