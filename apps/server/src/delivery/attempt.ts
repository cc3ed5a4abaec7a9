import type { Clock } from '@hilltop/network-server';
import { isStorageFailure } from '../database/storage-failure.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { failPoint } from '../fail-points.ts';
import {
  type Configured,
  type DeliveryJob,
  DeliveryTrouble,
  type Integration,
  Interrupted,
  type OutgoingRequest,
} from '../integrations/integration.ts';
import { excerptOf } from '../integrations/outcome.ts';
import type { OutgoingHTTP } from '../outgoing/http.ts';
import type { DeliveryContext } from './context.ts';
import { createRedactor } from './redact.ts';

/** What the configuration of an integration is to the engine: nothing it looks into. */
export type Kind = Integration<object>;

/** What to try. */
export interface DeliveryTry {
  configured: Configured;
  kind: Kind;
  /** One, or as many as the kind carries at once. */
  events: readonly LoggedEvent[];
  attempt: number;
  replayID?: string;
  /** Parts of the delivery of a single event that are done; grows. */
  done: Set<string>;
}

/** What came of it. */
export interface Tried {
  /** Undefined when everything has arrived. */
  trouble: DeliveryTrouble | undefined;
  /** The storage was away, or the sending was interrupted: neither event nor endpoint is to blame, try again. */
  isOurs: boolean;
  requests: number;
  bytes: number;
  ms: number;
  /** The beginning of the last request and of its answer, without secrets. */
  sent: string;
  status: number;
  excerpt: string;
}

export type Attempt = (what: DeliveryTry) => Promise<Tried>;

const sentShown = 2048;
const mostMessage = 300;

/** Runs the `deliver` of a kind with what it works with, and tells what came of it. Never rejects. */
export function createAttempt({
  http,
  clock,
  surroundings,
}: {
  http: Pick<OutgoingHTTP, 'send'>;
  clock: Clock;
  surroundings: DeliveryContext;
}): Attempt {
  return async ({ configured, kind, events, attempt, replayID, done }) => {
    const startedAt = clock.monotonicMs();
    let [requests, bytes, status] = [0, 0, 0];
    let last: OutgoingRequest | undefined;
    let answer = '';
    const hidden: string[] = [];
    const [first] = events as [LoggedEvent, ...LoggedEvent[]];
    const job: DeliveryJob<object> = {
      config: configured.config,
      attempt,
      replayID,
      now: () => clock.now(),
      send: async (request) => {
        requests += 1;
        bytes += Buffer.byteLength(request.body);
        last = request;
        answer = '';
        if (Array.isArray(request.hidden)) hidden.push(...(request.hidden as readonly string[]));
        const got = await http.send(request);
        status = got.status;
        if (request.hidden !== 'all') answer = excerptOf(got);
        return got;
      },
      once: async (part, act) => {
        if (done.has(part)) return;
        await act();
        done.add(part);
      },
      gatewayNames: (gatewayIDs, applicationID) => surroundings.gatewayNames(gatewayIDs, applicationID),
      variables: (devEUI) => surroundings.variables(devEUI),
    };
    let trouble: DeliveryTrouble | undefined;
    let isOurs = false;
    const blot = () => createRedactor([configured.config, hidden]);
    failPoint('trying');
    try {
      if (events.length === 1) await kind.deliver(first, job);
      else await kind.deliverMany!.deliver(events, job);
    } catch (error) {
      isOurs = isStorageFailure(error) || error instanceof Interrupted;
      trouble = tidied(error, blot());
    }
    failPoint('tried');
    const ms = Math.round(clock.monotonicMs() - startedAt);
    return {
      trouble,
      isOurs,
      requests,
      bytes,
      ms,
      status: trouble?.status ?? (trouble ? 0 : status),
      get sent() {
        return last ? blot()(textOf(last)) : '';
      },
      get excerpt() {
        return blot()(trouble?.excerpt ?? answer);
      },
    };
  };
}

/** Whatever a kind throws becomes trouble: what is none of its own is about the event, which nothing can be made of. */
function tidied(error: unknown, blot: (text: string) => string): DeliveryTrouble {
  const text = blot(error instanceof Error ? error.message : String(error)).slice(0, mostMessage);
  if (error instanceof Interrupted) return new DeliveryTrouble('endpoint', text);
  if (!(error instanceof DeliveryTrouble))
    return new DeliveryTrouble('event', `The event cannot be written in this format: ${text}`);
  const { about, status, retryAfterMs, excerpt } = error;
  return new DeliveryTrouble(about, text, {
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(excerpt === undefined ? {} : { excerpt }),
  });
}

/** As much as people may see: no headers, no query. */
function textOf({ method, url, body, hidden }: OutgoingRequest): string {
  const { origin, pathname } = new URL(url);
  if (hidden === 'all') return `${method} ${origin}${pathname}`;
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  return `${method} ${origin}${pathname}\n\n${text}`.slice(0, sentShown);
}
