import { z } from 'zod';
import { parseTemplate } from '../integrations/topic-template.ts';
import { checkedText, file, optionalAddress, type SettingsOf } from '../setting-schemas.ts';

/** Addresses of the embedded broker. */
export const mqttListenerSettings = {
  mqtt: optionalAddress
    .prefault('0.0.0.0:1883')
    .meta({ help: 'address of the embedded MQTT broker without TLS; empty: off; both empty: no MQTT at all' }),
  mqtts: optionalAddress
    .prefault('0.0.0.0:8883')
    .meta({ help: 'address of the embedded MQTT broker with TLS; empty: off' }),
};
export type MQTTListenerSettings = SettingsOf<typeof mqttListenerSettings>;

const topic = (usual: string, help: string) =>
  checkedText((text) => parseTemplate(text, ['ApplicationID', 'DevEUI']), usual, { help, mustMatch: true });

/** An external broker, and the topics at either broker. */
export const mqttSettings = {
  mqttURL: z
    .string()
    .refine(
      (text) => text === '' || (URL.canParse(text) && /^(mqtts?|tcp|ssl|wss?):$/.test(new URL(text).protocol)),
      'must be a URL such as mqtts://user:password@broker.example.org:8883',
    )
    .default('')
    .meta({ help: 'URL of an external MQTT broker, used instead of the embedded one', secret: true, mustMatch: true }),
  mqttCA: file('CA (PEM file) of the external broker'),
  mqttTLSCert: file('client certificate (PEM file) for the external broker'),
  mqttTLSKey: file('key (PEM file) of HILLTOP_MQTT_TLS_CERT'),
  mqttQos: z.coerce
    .number()
    .int()
    .min(0, 'must be 0, 1 or 2')
    .max(2, 'must be 0, 1 or 2')
    .default(1)
    .meta({ help: 'quality of service of messages to the external broker' }),
  mqttEventTopic: topic(
    'application/{{ .ApplicationID }}/device/{{ .DevEUI }}/event/{{ .EventType }}',
    'topic of events',
  ),
  mqttCommandTopic: topic(
    'application/{{ .ApplicationID }}/device/{{ .DevEUI }}/command/{{ .CommandType }}',
    'topic of commands',
  ),
};
export type MQTTSettings = SettingsOf<typeof mqttSettings>;
