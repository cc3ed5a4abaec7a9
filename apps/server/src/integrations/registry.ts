import { endedSentence, type IntegrationKindName, integrationKinds } from '@hilltop/contract';
import { amqp } from './amqp.ts';
import { awsSNS } from './aws-sns.ts';
import { azureServiceBus } from './azure-service-bus.ts';
import { discontinuedAdapter } from './discontinued.ts';
import { gcpPubSub } from './gcp-pub-sub.ts';
import { gatewayHTTP, http } from './http.ts';
import { influxdb } from './influxdb.ts';
import type { InstallationKindName } from './installation.ts';
import type { IntegrationAdapter } from './integration.ts';
import { createMarshal } from './marshal.ts';
import { mydevices } from './mydevices.ts';
import { pilotThings } from './pilot-things.ts';
import { postgresql } from './postgresql.ts';
import type { IntegrationSettings } from './settings.ts';
import { thingsboard } from './thingsboard.ts';

/** The adapters of all kinds except MQTT, whose adapter belongs to the broker (`mqtt/external.ts`). */
export function createIntegrations({
  config: { integrationEventID },
}: {
  config: Pick<IntegrationSettings, 'integrationEventID'>;
}): Readonly<
  Record<IntegrationKindName | 'GATEWAY_HTTP' | Exclude<InstallationKindName, 'MQTT'>, IntegrationAdapter<never>>
> {
  const marshal = createMarshal({ withEventID: integrationEventID });
  return {
    HTTP: http(marshal),
    GATEWAY_HTTP: gatewayHTTP(marshal),
    INFLUXDB: influxdb,
    THINGSBOARD: thingsboard,
    MYDEVICES: mydevices,
    LORACLOUD: discontinuedAdapter(endedSentence(integrationKinds.LORACLOUD)),
    GCP_PUBSUB: gcpPubSub(marshal),
    AWS_SNS: awsSNS(marshal),
    AZURE_SERVICE_BUS: azureServiceBus(marshal),
    PILOT_THINGS: pilotThings,
    AMQP: amqp(marshal),
    POSTGRESQL: postgresql(marshal),
  };
}
