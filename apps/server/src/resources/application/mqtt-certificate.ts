import { refusal } from '@hilltop/contract';
import type { Certificates } from '../../certificates/certificates.ts';
import type { Database } from '../../database/database.ts';
import type { Broker } from '../../mqtt/broker.ts';
import { hasCertificates, type MQTTAccessSettings } from '../../mqtt/client-access.ts';
import { loadApplication } from './store.ts';

export interface MQTTCertificateDependencies {
  config: MQTTAccessSettings;
  database: Database;
  certificates: Certificates;
  mqtt: Broker | undefined;
}

/** Issues a client certificate for MQTT. Its key is in the response and is not stored. */
export function generateMQTTCertificate({ config, database, certificates, mqtt }: MQTTCertificateDependencies) {
  return async ({ applicationID }: { applicationID: string }) => {
    const { id } = await loadApplication(database, applicationID);
    if (!hasCertificates(config, mqtt)) throw refusal('NO_MQTT_CERTIFICATES');
    const { cert, key, ca, expiresAt } = await certificates.issue(id);
    return { tlsCert: cert, tlsKey: key, caCert: ca, expiresAt: expiresAt.toISOString() };
  };
}
