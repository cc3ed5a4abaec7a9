import { z } from 'zod';
import { checkedText, flag, type SettingsOf, url } from '../setting-schemas.ts';
import { parseTemplate } from './topic-template.ts';

/** Global integrations, and the format of events. */
export const integrationSettings = {
  mqttRetainEvents: flag
    .default(false)
    .meta({ help: 'true: the external broker retains the last event of each topic' }),
  integrationMarshaler: z
    .enum(['json_v3', 'json', 'protobuf'], { message: 'must be json_v3, json or protobuf' })
    .default('json_v3')
    .meta({
      help: 'format of events for MQTT, AMQP and PostgreSQL',
      mustMatch: true,
    }),
  amqpURL: url(/^amqps?:/, 'must be a URL such as amqp://user:password@localhost:5672')
    .default('')
    .meta({ help: 'URL of an AMQP broker such as RabbitMQ that receives all events', secret: true, mustMatch: true }),
  amqpRoutingKey: checkedText(
    (text) => parseTemplate(text, ['ApplicationID', 'DevEUI']),
    'application.{{ .ApplicationID }}.device.{{ .DevEUI }}.event.{{ .EventType }}',
    { help: 'routing key of AMQP messages at the exchange amq.topic', mustMatch: true },
  ),
  eventsPostgresURL: url(/^postgres(ql)?:/, 'must be a URL such as postgres://user:password@localhost/events')
    .default('')
    .meta({ help: 'URL of a PostgreSQL database that receives all events as rows', secret: true, mustMatch: true }),
  integrationEventID: flag.default(false).meta({
    help: 'true: events contain their id, as member eventID and as field 1000 of protobuf',
    mustMatch: true,
  }),
  integrationSecrets: z.enum(['masked', 'returned'], { message: 'must be masked or returned' }).default('masked').meta({
    help: 'returned: reading an integration returns its secrets, as ChirpStack 3 did; Terraform needs this',
  }),
};
export type IntegrationSettings = SettingsOf<typeof integrationSettings>;
