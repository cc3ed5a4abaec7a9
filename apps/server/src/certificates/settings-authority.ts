import { X509Certificate } from 'node:crypto';
import { readPair } from '../pem-file.ts';
import { StartError } from '../start-error.ts';
import type { Pair } from './issue.ts';
import type { CertificateSettings } from './settings.ts';

/**
 * The CA for client certificates that the settings name, such as the one of version 3. Throws StartError when its files
 * are invalid.
 */
export async function readSettingsAuthority({
  mqttClientCACert,
  mqttClientCAKey,
}: Pick<CertificateSettings, 'mqttClientCACert' | 'mqttClientCAKey'>): Promise<Pair | undefined> {
  const pair = await readPair(
    ['HILLTOP_MQTT_CLIENT_CA_CERT', mqttClientCACert],
    ['HILLTOP_MQTT_CLIENT_CA_KEY', mqttClientCAKey],
  );
  if (pair && !new X509Certificate(pair.cert).ca)
    throw new StartError(`The certificate ${mqttClientCACert} (HILLTOP_MQTT_CLIENT_CA_CERT) is not one of a CA.`);
  return pair && { cert: pair.cert.toString(), key: pair.key.toString() };
}
