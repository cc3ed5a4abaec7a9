import { createHmac } from 'node:crypto';
import type { Secrets } from '../secrets.ts';
import type { Agreement } from './join.ts';

/**
 * Hashes of the settings that must be equal at all instances; they reveal no value. Instances with different settings
 * would undo or repeat each other's work. Statistics use the days and hours of the time zone.
 */
export function agreementOf(
  settings: Readonly<Record<string, unknown>>,
  { tokenKey }: Pick<Secrets, 'tokenKey'>,
): Agreement {
  const mark = (value: unknown) => createHmac('sha256', tokenKey).update(JSON.stringify(value)).digest('base64url');
  return {
    'The key of HILLTOP_TOKEN_KEY_FILE or token.key in HILLTOP_DATA': mark('hilltop'),
    'The time zone (TZ)': mark(Intl.DateTimeFormat().resolvedOptions().timeZone),
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, mark(withoutPassword(value))])),
  };
}

/** Operators change the password of a broker at one instance after the other; it is still the same broker. */
function withoutPassword(value: unknown): unknown {
  if (typeof value !== 'string' || !URL.canParse(value)) return value;
  return Object.assign(new URL(value), { password: '' }).href;
}
