import { z } from 'zod';
import { file, type SettingsOf } from '../setting-schemas.ts';

const lifetime = z
  .string()
  .regex(/^[1-9]\d{0,5}h$/, 'must be hours such as 8760h')
  .transform((text) => Number.parseInt(text, 10));

/** The certificates of the MQTT listener and of its clients. */
export const certificateSettings = {
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
};
export type CertificateSettings = SettingsOf<typeof certificateSettings>;
