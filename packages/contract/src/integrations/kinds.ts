import { awsSNS } from './aws-sns.ts';
import { azureServiceBus } from './azure-service-bus.ts';
import { gcpPubSub } from './gcp-pub-sub.ts';
import { http } from './http.ts';
import { influxdb } from './influxdb.ts';
import type { IntegrationKind } from './kind.ts';
import { loracloud } from './loracloud.ts';
import { mydevices } from './mydevices.ts';
import { pilotThings } from './pilot-things.ts';
import { thingsboard } from './thingsboard.ts';

/** Every kind of integration, in the order of the console. */
export const integrationKinds = {
  AWS_SNS: awsSNS,
  AZURE_SERVICE_BUS: azureServiceBus,
  GCP_PUBSUB: gcpPubSub,
  HTTP: http,
  INFLUXDB: influxdb,
  MYDEVICES: mydevices,
  PILOT_THINGS: pilotThings,
  LORACLOUD: loracloud,
  THINGSBOARD: thingsboard,
} as const satisfies { readonly [Kind in string]: IntegrationKind<Kind> };

export type IntegrationKinds = typeof integrationKinds;
export type IntegrationKindName = keyof IntegrationKinds;
