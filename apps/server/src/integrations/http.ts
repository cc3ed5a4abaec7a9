import { createHmac } from 'node:crypto';
import { type HTTPIntegration, urlsIn } from '@hilltop/contract';
import type { LoggedEvent } from '../event-log/event-log.ts';
import type { EventType } from '../events/event.ts';
import { setLatest } from '../latest-n.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import type { OutgoingRequest } from '../outgoing/outgoing-request.ts';
import { encodeForm } from './form-encoding.ts';
import type { DeliveryJob, IntegrationAdapter } from './integration.ts';
import type { Marshal } from './marshal.ts';
import { expectSuccess } from './outcome.ts';

/** `whsec_` and base64, as receivers enter it; set by an operation of its own. */
export type HTTPConfig = HTTPIntegration & { readonly signingSecret?: string };

/** The addresses that replace the common ones for an event. */
const ownAddress: Readonly<Record<EventType, keyof HTTPIntegration & `${string}URL`>> = {
  up: 'uplinkDataURL',
  join: 'joinNotificationURL',
  ack: 'ackNotificationURL',
  error: 'errorNotificationURL',
  status: 'statusNotificationURL',
  location: 'locationNotificationURL',
  txack: 'txAckNotificationURL',
  integration: 'integrationNotificationURL',
};

const gravity = ['event', 'endpoint', 'gone'];
const addressesKept = 1000;

/** POSTs every event to addresses, with its id as Standard Webhooks name it. */
export function http(marshal: Marshal): IntegrationAdapter<HTTPConfig> {
  /** By what somebody has filled in and the type of the event: to read addresses takes as long as all else here. */
  const kept = new Map<string, readonly Address[]>();

  function addressesOf(text: string, type: EventType): readonly Address[] {
    const name = `${type} ${text}`;
    let addresses = kept.get(name);
    if (!addresses) {
      addresses = urlsIn(text).map((given) => ({ given, url: withEvent(given, type) }));
      setLatest(kept, addressesKept, name, addresses);
    }
    return addresses;
  }

  return {
    eventTypes: Object.keys(ownAddress) as EventType[],
    deliver: async (event, job) => {
      const { config } = job;
      const { body, contentType } = await marshal(event, config.marshaler, job);
      const headers = headersOf(event, job, body, contentType);
      const troubles: DeliveryError[] = [];
      const filledIn = config[ownAddress[event.type]] || config.eventEndpointURL;
      for (const { given, url } of addressesOf(filledIn, event.type)) {
        const request: OutgoingRequest = { method: 'POST', url, headers, body, timeoutMs: 10_000 };
        await job
          .once(given, async () => expectSuccess(await job.send(request), job.now()))
          .catch((error: unknown) => {
            if (!(error instanceof DeliveryError)) throw error;
            troubles.push(error);
          });
      }
      troubles.sort((one, other) => gravity.indexOf(other.fault) - gravity.indexOf(one.fault));
      if (troubles[0]) throw troubles[0];
    },
  };
}

interface Address {
  given: string;
  /** With the type of the event. */
  url: string;
}

function withEvent(text: string, type: EventType): string {
  const { origin, pathname, searchParams } = new URL(text);
  searchParams.set('event', type);
  return `${origin}${pathname}?${encodeForm([...searchParams])}`;
}

/** What the owner chose comes last, and replaces what is ours. */
function headersOf(
  { id }: LoggedEvent,
  { config, attempt, replayID, now }: DeliveryJob<HTTPConfig>,
  body: string | Uint8Array,
  contentType: string,
): OutgoingRequest['headers'] {
  const timestamp = String(Math.floor(now().getTime() / 1000));
  const headers: (readonly [string, string])[] = [
    ['Content-Type', contentType],
    ['webhook-id', id],
    ['webhook-timestamp', timestamp],
    ['hilltop-attempt', String(attempt)],
  ];
  if (config.signingSecret) {
    const key = Uint8Array.fromBase64(config.signingSecret.replace(/^whsec_/, ''));
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
    headers.push(['webhook-signature', `v1,${signature}`]);
  }
  if (replayID !== undefined) headers.push(['hilltop-replay', replayID]);
  const chosen = new Set(config.headers.map(({ key }) => key.toLowerCase()));
  return [
    ...headers.filter(([name]) => !chosen.has(name.toLowerCase())),
    ...config.headers.map(({ key, value }) => [key, value] as const),
  ];
}
