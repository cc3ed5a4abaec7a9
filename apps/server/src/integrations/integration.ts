import type { LoggedEvent } from '../event-log/event-log.ts';
import type { EventType } from '../events/event.ts';

/** A request to somebody else's server. */
export interface OutgoingRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: string | Uint8Array;
  /** For the whole of it. */
  timeoutMs: number;
  /** What nobody may see, beside what stands in the configuration: words of the request, or all of it and its answer. */
  hidden?: 'all' | readonly string[];
}

/** What came back; of long answers the beginning. */
export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

/**
 * Whose fault a failure is decides what becomes of it: an `event` that is refused lets the others pass, an `endpoint`
 * that is away stops all of them, and one that is `gone` stays stopped until a person says otherwise.
 */
export class DeliveryTrouble extends Error {
  readonly about: 'event' | 'endpoint' | 'gone';
  readonly status: number | undefined;
  /** What the endpoint asked for. */
  readonly retryAfterMs: number | undefined;
  /** The beginning of the answer. */
  readonly excerpt: string | undefined;

  constructor(
    about: DeliveryTrouble['about'],
    message: string,
    { status, retryAfterMs, excerpt }: { status?: number; retryAfterMs?: number; excerpt?: string } = {},
  ) {
    super(message);
    this.about = about;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.excerpt = excerpt;
  }
}

/** Nobody knows whether a request arrived, and neither event nor endpoint is to blame: tried again, as after a restart. */
export class Interrupted extends Error {}

/** What a kind works with while it delivers one event. */
export interface DeliveryJob<Config> {
  readonly config: Config;
  /** The number of this try, from 1. */
  readonly attempt: number;
  /** The replay it belongs to. */
  readonly replayID: string | undefined;
  readonly now: () => Date;
  /** Answers whatever the status is; rejects with DeliveryTrouble when nothing came back. Addresses are checked. */
  readonly send: (request: OutgoingRequest) => Promise<HttpAnswer>;
  /** Does a part of the delivery unless an earlier try has done it. */
  readonly once: (part: string, act: () => Promise<void>) => Promise<void>;
  /** Names of gateways, and of the relays of an application, by id; those nobody knows are missing. */
  readonly gatewayNames: (gatewayIDs: readonly string[], applicationID: number) => Promise<ReadonlyMap<string, string>>;
  readonly variables: (devEUI: string) => Promise<Readonly<Record<string, string>>>;
}

/** How one kind of integration delivers. */
export interface Integration<Config> {
  /** Why it delivers nothing: the service has ended. */
  readonly ended?: string;
  readonly takes: readonly EventType[];
  /** Resolves when the event has arrived or is none of this kind's business; rejects with DeliveryTrouble. */
  deliver(this: void, event: LoggedEvent, job: DeliveryJob<Config>): Promise<void>;
  /** For formats that carry many: all or nothing. What is refused is tried again in halves. */
  deliverMany?: {
    most: number;
    deliver(this: void, events: readonly LoggedEvent[], job: DeliveryJob<Config>): Promise<void>;
  };
  /** Lets go of connections that are kept between deliveries. */
  stop?: () => Promise<void>;
}

/** An integration somebody has set up. */
export interface Configured<Kind extends string = string> {
  readonly id: number;
  /** Undefined for the ones of the whole installation. */
  readonly applicationID: number | undefined;
  readonly kind: Kind;
  /** Its message of the contract, secrets in clear. */
  readonly config: object;
  /** Another one after each change. */
  readonly revision: number;
}
