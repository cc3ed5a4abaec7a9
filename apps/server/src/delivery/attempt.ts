import type { Clock } from '@hilltop/network-server';
import { isStorageFailure } from '../database/storage-failure.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { failPoint } from '../fail-points.ts';
import type { ConfiguredIntegration, DeliveryJob, IntegrationAdapter } from '../integrations/integration.ts';
import { excerptOf } from '../integrations/outcome.ts';
import { DeliveryError, DeliveryInterrupted } from '../outgoing/delivery-error.ts';
import type { OutgoingHTTP } from '../outgoing/http.ts';
import type { OutgoingRequest } from '../outgoing/outgoing-request.ts';
import type { EventLookups } from './event-lookups.ts';
import { createRedactor } from './redact.ts';

/** The delivery passes configurations to adapters without reading them. */
export type AnyAdapter = IntegrationAdapter<object>;

export interface AttemptRequest {
  integration: ConfiguredIntegration;
  adapter: AnyAdapter;
  /** One event, or a batch of an adapter with `deliverBatch`. */
  events: readonly LoggedEvent[];
  /** The number of this attempt for the first event, from 1. */
  attempt: number;
  replayID?: string;
  /** Parts of the delivery of a single event that earlier attempts have completed. */
  doneParts: readonly string[];
}

export interface AttemptResult {
  /** Undefined when everything was delivered. */
  error: DeliveryError | undefined;
  /** The storage or the sending thread failed: neither event nor endpoint is at fault, and the attempt is repeated. */
  isInternal: boolean;
  /** `doneParts` of the request, and those that this attempt has completed. */
  doneParts: readonly string[];
  requests: number;
  /** Sent in the bodies of all requests. */
  bytes: number;
  ms: number;
  /** The HTTP status of the last response; 0 without one. */
  status: number;
  /** The beginning of the last request, redacted. */
  sent: string;
  /** The beginning of the last response, redacted. */
  excerpt: string;
}

/** Delivers events once, and reports the result. Never rejects. */
export type Attempt = (request: AttemptRequest) => Promise<AttemptResult>;

const maxSentLength = 2048;
const maxMessageLength = 300;

export function createAttempt({
  http,
  clock,
  lookups,
}: {
  http: Pick<OutgoingHTTP, 'send'>;
  clock: Clock;
  lookups: EventLookups;
}): Attempt {
  return async ({ integration, adapter, events, attempt, replayID, doneParts }) => {
    const startedAt = clock.monotonicMs();
    const done = new Set(doneParts);
    const exchange = recordExchange(http);
    const job: DeliveryJob<object> = {
      config: integration.config,
      attempt,
      replayID,
      now: () => clock.now(),
      send: exchange.send,
      once: async (part, act) => {
        if (done.has(part)) return;
        await act();
        done.add(part);
      },
      gatewayNames: (gatewayIDs, applicationID) => lookups.gatewayNames(gatewayIDs, applicationID),
      variables: (devEUI) => lookups.variables(devEUI),
    };
    const redact = () => createRedactor([integration.config, exchange.secrets]);
    let error: DeliveryError | undefined;
    let isInternal = false;
    failPoint('before attempt');
    try {
      const [first] = events;
      if (first && events.length === 1) await adapter.deliver(first, job);
      else await adapter.deliverBatch!.deliver(events, job);
    } catch (thrown) {
      isInternal = isStorageFailure(thrown) || thrown instanceof DeliveryInterrupted;
      error = toDeliveryError(thrown, isInternal, redact());
    }
    failPoint('after attempt');
    const { last } = exchange;
    return {
      error,
      isInternal,
      doneParts: [...done],
      requests: exchange.requests,
      bytes: exchange.bytes,
      ms: Math.round(clock.monotonicMs() - startedAt),
      status: error?.status ?? (error ? 0 : last.status),
      // Redacting costs more than a delivery, and most results are never shown.
      get sent() {
        return last.request ? redact()(visibleText(last.request)) : '';
      },
      get excerpt() {
        return redact()(error?.excerpt ?? last.response);
      },
    };
  };
}

/** Sends the requests of one attempt, and remembers what the attempt log may show of them. */
function recordExchange(http: Pick<OutgoingHTTP, 'send'>) {
  const exchange = {
    requests: 0,
    bytes: 0,
    secrets: [] as string[],
    last: { request: undefined as OutgoingRequest | undefined, status: 0, response: '' },
    send: async (request: OutgoingRequest) => {
      exchange.requests += 1;
      exchange.bytes += Buffer.byteLength(request.body);
      exchange.last.request = request;
      exchange.last.response = '';
      if (Array.isArray(request.redact)) exchange.secrets.push(...(request.redact as readonly string[]));
      const response = await http.send(request);
      exchange.last.status = response.status;
      if (request.redact !== 'all') exchange.last.response = excerptOf(response);
      return response;
    },
  };
  return exchange;
}

/** An adapter that throws something other than DeliveryError could not write the event in its format. */
function toDeliveryError(thrown: unknown, isInternal: boolean, redact: (text: string) => string): DeliveryError {
  const message = redact(thrown instanceof Error ? thrown.message : String(thrown)).slice(0, maxMessageLength);
  if (isInternal) return new DeliveryError('endpoint', message);
  if (!(thrown instanceof DeliveryError))
    return new DeliveryError('event', `The event cannot be written in this format: ${message}`);
  const { fault, status, retryAfterMs, excerpt } = thrown;
  return new DeliveryError(fault, message, {
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(excerpt === undefined ? {} : { excerpt }),
  });
}

/** What users may see of a request: neither headers nor query. */
function visibleText({ method, url, body, redact }: OutgoingRequest): string {
  const { origin, pathname } = new URL(url);
  if (redact === 'all') return `${method} ${origin}${pathname}`;
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  return `${method} ${origin}${pathname}\n\n${text}`.slice(0, maxSentLength);
}
