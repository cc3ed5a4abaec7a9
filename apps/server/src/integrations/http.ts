import {
  type GatewayEventType,
  type GatewayHTTPIntegration,
  gatewayEventTypes,
  type HTTPIntegration,
  sendsGatewayEvent,
  urlsIn,
} from '@hilltop/contract';
import { LRUCache } from 'lru-cache';
import type { LoggedEvent, LoggedType } from '../event-log/event-log.ts';
import type { EventType } from '../events/event.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import type { OutgoingRequest } from '../outgoing/outgoing-request.ts';
import { encodeForm } from './form-encoding.ts';
import type { DeliveryJob, IntegrationAdapter } from './integration.ts';
import type { Marshal, Marshaler } from './marshal.ts';
import { expectSuccess } from './outcome.ts';
import { webhookHeaders } from './webhook-headers.ts';

interface SigningSecret {
  /** `whsec_` and base64, as receivers enter it. A separate operation sets it. */
  readonly signingSecret?: string;
}
export type HTTPConfig = HTTPIntegration & SigningSecret;
export type GatewayHTTPConfig = GatewayHTTPIntegration & SigningSecret;
type Signed = Pick<HTTPConfig, 'headers' | 'signingSecret'>;

/** The field with the URLs for a type of event, which replace the common ones. */
const urlFields: Readonly<Record<EventType, keyof HTTPIntegration & `${string}URL`>> = {
  up: 'uplinkDataURL',
  join: 'joinNotificationURL',
  ack: 'ackNotificationURL',
  error: 'errorNotificationURL',
  status: 'statusNotificationURL',
  location: 'locationNotificationURL',
  txack: 'txAckNotificationURL',
  integration: 'integrationNotificationURL',
};

/** How a kind of integration sends by HTTP. */
interface Sending<Config> {
  eventTypes: readonly LoggedType[];
  marshalerOf: (config: Config) => Marshaler;
  /** The configured URLs for a type of event, separated by commas. */
  urlsOf: (config: Config, type: LoggedType) => string;
}

/** Events of devices, as an application has configured. */
export const http = (marshal: Marshal): IntegrationAdapter<HTTPConfig> =>
  sendByHTTP<HTTPConfig>(marshal, {
    eventTypes: Object.keys(urlFields) as EventType[],
    marshalerOf: ({ marshaler }) => marshaler,
    urlsOf: (config, type) => config[urlFields[type as EventType]] || config.eventEndpointURL,
  });

/** Events of gateways, as an organization has configured. */
export const gatewayHTTP = (marshal: Marshal): IntegrationAdapter<GatewayHTTPConfig> =>
  sendByHTTP<GatewayHTTPConfig>(marshal, {
    eventTypes: gatewayEventTypes,
    marshalerOf: () => 'JSON',
    urlsOf: (config, type) => (sendsGatewayEvent(config, type as GatewayEventType) ? config.eventEndpointURL : ''),
  });

const severity = ['event', 'endpoint', 'gone'];
const maxCachedAddresses = 1000;

/** POSTs every event to one or several URLs, with its id in the header of Standard Webhooks. */
function sendByHTTP<Config extends Signed>(
  marshal: Marshal,
  { eventTypes, marshalerOf, urlsOf }: Sending<Config>,
): IntegrationAdapter<Config> {
  /** By configured text and type of event: parsing URLs takes half the time of a delivery. */
  const cache = new LRUCache<string, readonly Address[]>({ max: maxCachedAddresses });

  function addressesOf(text: string, type: LoggedType): readonly Address[] {
    const key = `${type} ${text}`;
    let addresses = cache.get(key);
    if (!addresses) {
      addresses = urlsIn(text).map((given) => ({ given, url: withEventType(given, type) }));
      cache.set(key, addresses);
    }
    return addresses;
  }

  return {
    eventTypes,
    hasDestination: (type, config) => urlsOf(config, type).trim() !== '',
    deliver: async (event, job) => {
      const { config } = job;
      const { body, contentType } = await marshal(event, marshalerOf(config), job);
      const headers = headersOf(event, job, body, contentType);
      const errors: DeliveryError[] = [];
      for (const { given, url } of addressesOf(urlsOf(config, event.type), event.type)) {
        const request: OutgoingRequest = { method: 'POST', url, headers, body, timeoutMs: 10_000 };
        await job
          .once(given, async () => expectSuccess(await job.send(request), job.now()))
          .catch((error: unknown) => {
            if (!(error instanceof DeliveryError)) throw error;
            errors.push(error);
          });
      }
      errors.sort((a, b) => severity.indexOf(b.fault) - severity.indexOf(a.fault));
      if (errors[0]) throw errors[0];
    },
  };
}

interface Address {
  /** The configured text. */
  given: string;
  /** With the type of the event as a parameter. */
  url: string;
}

function withEventType(text: string, type: LoggedType): string {
  const { origin, pathname, searchParams } = new URL(text);
  searchParams.set('event', type);
  return `${origin}${pathname}?${encodeForm([...searchParams])}`;
}

/** Configured headers come last, and replace headers of the same name. */
function headersOf(
  { id }: LoggedEvent,
  { config, attempt, replayID, now }: DeliveryJob<Signed>,
  body: string | Uint8Array,
  contentType: string,
): OutgoingRequest['headers'] {
  const headers: (readonly [string, string])[] = [
    ['Content-Type', contentType],
    ...webhookHeaders({ id, at: now(), body, secret: config.signingSecret }),
    ['hilltop-attempt', String(attempt)],
  ];
  if (replayID !== undefined) headers.push(['hilltop-replay', replayID]);
  const configured = new Set(config.headers.map(({ key }) => key.toLowerCase()));
  return [
    ...headers.filter(([name]) => !configured.has(name.toLowerCase())),
    ...config.headers.map(({ key, value }) => [key, value] as const),
  ];
}
