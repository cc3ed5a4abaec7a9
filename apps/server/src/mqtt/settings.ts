import { z } from 'zod';
import { parseTemplate } from '../integrations/topic-template.ts';
import { checkedText, file, optionalAddress, type SettingsOf } from '../setting-schemas.ts';

/** Where the embedded broker listens. */
export const mqttListenerSettings = {
  mqtt: optionalAddress.prefault('0.0.0.0:1883').meta({ help: 'MQTT; empty, and HILLTOP_MQTTS too: MQTT is off' }),
  mqtts: optionalAddress.prefault('0.0.0.0:8883').meta({ help: 'MQTT with TLS; empty: none is listened to' }),
};
export type MQTTListenerSettings = SettingsOf<typeof mqttListenerSettings>;

const topic = (usual: string, help: string) =>
  checkedText((text) => parseTemplate(text, ['ApplicationID', 'DevEUI']), usual, { help, mustMatch: true });

/** An external broker, and the topics at either. */
export const mqttSettings = {
  mqttURL: z
    .string()
    .refine(
      (text) => text === '' || (URL.canParse(text) && /^(mqtts?|tcp|ssl|wss?):$/.test(new URL(text).protocol)),
      'must be a URL such as mqtts://user:password@broker.example.org:8883',
    )
    .default('')
    .meta({ help: 'an MQTT broker elsewhere, instead of the embedded one', secret: true, mustMatch: true }),
  mqttCA: file('file of the CA (PEM) of that broker'),
  mqttTLSCert: file('file of the client certificate (PEM) for that broker'),
  mqttTLSKey: file('file of its key (PEM)'),
  mqttQos: z.coerce
    .number()
    .int()
    .min(0, 'must be 0, 1 or 2')
    .max(2, 'must be 0, 1 or 2')
    .default(1)
    .meta({ help: 'quality of service of what is published at that broker' }),
  mqttEventTopic: topic(
    'application/{{ .ApplicationID }}/device/{{ .DevEUI }}/event/{{ .EventType }}',
    'topics of events',
  ),
  mqttCommandTopic: topic(
    'application/{{ .ApplicationID }}/device/{{ .DevEUI }}/command/{{ .CommandType }}',
    'topics of commands',
  ),
};
export type MQTTSettings = SettingsOf<typeof mqttSettings>;
