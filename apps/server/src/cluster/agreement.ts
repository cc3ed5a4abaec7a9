import { createHmac } from 'node:crypto';
import { type Config, environmentName } from '../config.ts';
import type { Secrets } from '../secrets.ts';
import type { Agreement } from './join.ts';

/** Settings that would make two instances on one database undo or repeat each other's work. */
const alike = [
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
] as const satisfies (keyof Config)[];

/** What instances compare: no value can be read from it. Days and hours of statistics are those of the time zone. */
export function agreementOf(config: Config, { tokenKey }: Pick<Secrets, 'tokenKey'>): Agreement {
  const mark = (value: unknown) => createHmac('sha256', tokenKey).update(JSON.stringify(value)).digest('base64url');
  return {
    'The key of HILLTOP_TOKEN_KEY_FILE or token.key in HILLTOP_DATA': mark('hilltop'),
    'The time zone (TZ)': mark(Intl.DateTimeFormat().resolvedOptions().timeZone),
    ...Object.fromEntries(alike.map((key) => [environmentName(key), mark(withoutPassword(config[key]))])),
  };
}

/** A password of a broker is changed at one instance after the other; what is behind it stays the same. */
function withoutPassword(value: unknown): unknown {
  if (typeof value !== 'string' || !URL.canParse(value)) return value;
  return Object.assign(new URL(value), { password: '' }).href;
}
