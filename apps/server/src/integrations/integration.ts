import type { LoggedEvent } from '../event-log/event-log.ts';
import type { EventType } from '../events/event.ts';
import type { HttpResponse, OutgoingRequest } from '../outgoing/outgoing-request.ts';

/** What a kind works with while it delivers one event. */
export interface DeliveryJob<Config> {
  readonly config: Config;
  /** The number of this try, from 1. */
  readonly attempt: number;
  /** The replay it belongs to. */
  readonly replayID: string | undefined;
  readonly now: () => Date;
  /** Answers whatever the status is; rejects with DeliveryTrouble when nothing came back. Addresses are checked. */
  readonly send: (request: OutgoingRequest) => Promise<HttpResponse>;
  /** Does a part of the delivery unless an earlier try has done it. */
  readonly once: (part: string, act: () => Promise<void>) => Promise<void>;
  /** Names of gateways, and of the relays of an application, by id; those nobody knows are missing. */
  readonly gatewayNames: (gatewayIDs: readonly string[], applicationID: number) => Promise<ReadonlyMap<string, string>>;
  readonly variables: (devEUI: string) => Promise<Readonly<Record<string, string>>>;
}

/** How one kind of integration delivers. */
export interface IntegrationAdapter<Config> {
  /** Why it delivers nothing: the service has ended. */
  readonly discontinued?: string;
  readonly eventTypes: readonly EventType[];
  /** Resolves when the event has arrived or is none of this kind's business; rejects with DeliveryTrouble. */
  deliver(this: void, event: LoggedEvent, job: DeliveryJob<Config>): Promise<void>;
  /** For formats that carry many: all or nothing. What is refused is tried again in halves. */
  deliverBatch?: {
    maxEvents: number;
    deliver(this: void, events: readonly LoggedEvent[], job: DeliveryJob<Config>): Promise<void>;
  };
  /** Lets go of connections that are kept between deliveries. */
  stop?: () => Promise<void>;
}

/** An integration somebody has set up. */
export interface ConfiguredIntegration<Kind extends string = string> {
  readonly id: number;
  /** Undefined for the ones of the whole installation. */
  readonly applicationID: number | undefined;
  readonly kind: Kind;
  /** Its message of the contract, secrets in clear. */
  readonly config: object;
  /** Another one after each change. */
  readonly revision: number;
}
