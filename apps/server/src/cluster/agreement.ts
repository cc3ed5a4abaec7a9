import { createHmac } from 'node:crypto';
import type { Secrets } from '../secrets.ts';
import type { Agreement } from './join.ts';

/** Settings whose difference would make two instances on one database undo or repeat each other's work. */
const comparedSettings = [
  'region',
  'netID',
  'eventHistory',
  'integrationMarshaler',
  'integrationEventID',
  'amqpURL',
  'amqpRoutingKey',
  'eventsPostgresURL',
  'mqttURL',
  'mqttEventTopic',
  'mqttCommandTopic',
] as const;

export type ComparedSettings = Readonly<Record<(typeof comparedSettings)[number], unknown>>;

/**
 * What instances compare: a hash of each setting, from which no value can be read. `nameOf` answers the name of a setting
 * that a person knows. The time zone is among them, as days and hours of statistics are those of it.
 */
export function agreementOf(
  settings: ComparedSettings,
  { tokenKey, nameOf }: Pick<Secrets, 'tokenKey'> & { nameOf: (setting: string) => string },
): Agreement {
  const mark = (value: unknown) => createHmac('sha256', tokenKey).update(JSON.stringify(value)).digest('base64url');
  return {
    'The key of HILLTOP_TOKEN_KEY_FILE or token.key in HILLTOP_DATA': mark('hilltop'),
    'The time zone (TZ)': mark(Intl.DateTimeFormat().resolvedOptions().timeZone),
    ...Object.fromEntries(comparedSettings.map((key) => [nameOf(key), mark(withoutPassword(settings[key]))])),
  };
}

/** A password of a broker is changed at one instance after the other; the broker stays the same. */
function withoutPassword(value: unknown): unknown {
  if (typeof value !== 'string' || !URL.canParse(value)) return value;
  return Object.assign(new URL(value), { password: '' }).href;
}
