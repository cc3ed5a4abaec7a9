import { z } from 'zod';
import { checkedText, flag, type SettingsOf, url } from '../setting-schemas.ts';
import { parseTemplate } from './topic-template.ts';

/** Integrations of the whole installation, and how events are written. */
export const integrationSettings = {
  mqttRetainEvents: flag.default(false).meta({ help: 'true: the broker elsewhere keeps the last event of each topic' }),
  integrationMarshaler: z
    .enum(['json_v3', 'json', 'protobuf'], { message: 'must be json_v3, json or protobuf' })
    .default('json_v3')
    .meta({
      help: 'how events are written for MQTT and other integrations of the whole installation',
      mustMatch: true,
    }),
  amqpURL: url(/^amqps?:/, 'must be a URL such as amqp://user:password@localhost:5672')
    .default('')
    .meta({ help: 'a broker such as RabbitMQ that gets all events', secret: true, mustMatch: true }),
  amqpRoutingKey: checkedText(
    (text) => parseTemplate(text, ['ApplicationID', 'DevEUI']),
    'application.{{ .ApplicationID }}.device.{{ .DevEUI }}.event.{{ .EventType }}',
    { help: 'its routing keys, at the exchange amq.topic', mustMatch: true },
  ),
  eventsPostgresURL: url(/^postgres(ql)?:/, 'must be a URL such as postgres://user:password@localhost/events')
    .default('')
    .meta({ help: 'a PostgreSQL database that gets all events as rows', secret: true, mustMatch: true }),
  integrationEventID: flag.default(false).meta({
    help: 'true: events carry their id, as member eventID and as field 1000 of protobuf',
    mustMatch: true,
  }),
  integrationSecrets: z.enum(['masked', 'returned'], { message: 'must be masked or returned' }).default('masked').meta({
    help: 'whether reading an integration answers its secrets, as the older servers did; Terraform needs returned',
  }),
};
export type IntegrationSettings = SettingsOf<typeof integrationSettings>;
