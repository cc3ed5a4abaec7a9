import { awsSNS } from './aws-sns.ts';
import { azureServiceBus } from './azure-service-bus.ts';
import { gatewayHTTP } from './gateway-http.ts';
import { gcpPubSub } from './gcp-pub-sub.ts';
import { http } from './http.ts';
import { influxdb } from './influxdb.ts';
import type { IntegrationKind } from './kind.ts';
import { loracloud } from './loracloud.ts';
import { mydevices } from './mydevices.ts';
import { pilotThings } from './pilot-things.ts';
import { thingsboard } from './thingsboard.ts';

/** Every kind of integration of an application, in the order of the console. */
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

const allKinds: ReadonlyMap<string, IntegrationKind> = new Map<string, IntegrationKind>(
  [...Object.values(integrationKinds), gatewayHTTP].map((one) => [one.kind, one]),
);

/** A kind of integration of an application or organization. */
export const findKind = (kind: string): IntegrationKind | undefined => allKinds.get(kind);
