import { z } from 'zod';
import { parseTemplate } from '../integrations/topic-template.ts';

const file = (help: string) => z.string().default('').meta({ help });

export function template(needed: Parameters<typeof parseTemplate>[1], usual: string, help: string) {
  return z
    .string()
    .superRefine((text, context) => {
      try {
        parseTemplate(text, needed);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
      }
    })
    .default(usual)
    .meta({ help });
}

const lifetime = z
  .string()
  .regex(/^[1-9]\d{0,5}h$/, 'must be hours such as 8760h')
  .transform((text) => Number.parseInt(text, 10));

/** Settings of MQTT beside the addresses it listens at. */
export const mqttSettings = {
  mqttPublic: z
    .string()
    .regex(/^[^\s/:]*$|^[0-9a-f:]+$/i, 'must be a host name or an address, without a port')
    .default('')
    .meta({ help: 'the name or address by which MQTT clients find this server; empty: the name of this machine' }),
  mqttCert: file('file of the TLS certificate (PEM) of MQTT; without it one is made by our own authority'),
  mqttKey: file('file of its key (PEM)'),
  mqttClientCACert: file('file of a CA (PEM) whose client certificates are good for MQTT, and which signs new ones'),
  mqttClientCAKey: file('file of its key (PEM)'),
  mqttCertLifetime: lifetime.prefault('8760h').meta({ help: 'how long client certificates for MQTT last' }),
  mqttURL: z
    .string()
    .refine(
      (text) => text === '' || (URL.canParse(text) && /^(mqtts?|tcp|ssl|wss?):$/.test(new URL(text).protocol)),
      'must be a URL such as mqtts://user:password@broker.example.org:8883',
    )
    .default('')
    .meta({ help: 'an MQTT broker elsewhere, instead of the embedded one', secret: true }),
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
  mqttEventTopic: template(
    ['ApplicationID', 'DevEUI'],
    'application/{{ .ApplicationID }}/device/{{ .DevEUI }}/event/{{ .EventType }}',
    'topics of events',
  ),
  mqttCommandTopic: template(
    ['ApplicationID', 'DevEUI'],
    'application/{{ .ApplicationID }}/device/{{ .DevEUI }}/command/{{ .CommandType }}',
    'topics of commands',
  ),
};
