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
    .meta({
      help: 'name or address of this server for MQTT clients, in its certificate and in the console; empty: the host name',
    }),
  mqttCert: file('TLS certificate (PEM file) of HILLTOP_MQTTS; empty: one signed by Hilltop’s own CA'),
  mqttKey: file('key (PEM file) of HILLTOP_MQTT_CERT'),
  mqttClientCACert: file(
    'CA (PEM file) that signs client certificates for MQTT, such as that of ChirpStack 3; its certificates stay valid',
  ),
  mqttClientCAKey: file('key (PEM file) of HILLTOP_MQTT_CLIENT_CA_CERT'),
  mqttCertLifetime: lifetime.prefault('8760h').meta({ help: 'validity of client certificates for MQTT' }),
};
export type CertificateSettings = SettingsOf<typeof certificateSettings>;
