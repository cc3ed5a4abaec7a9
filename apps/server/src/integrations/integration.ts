import type { LoggedEvent, LoggedType } from '../event-log/event-log.ts';
import type { HttpResponse, OutgoingRequest } from '../outgoing/outgoing-request.ts';

/** What an adapter needs for one attempt. */
export interface DeliveryJob<Config> {
  readonly config: Config;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /** The replay that the attempt belongs to. */
  readonly replayID: string | undefined;
  readonly now: () => Date;
  /**
   * Sends a request to a checked address. Resolves with any status; rejects with DeliveryError when there is no
   * response, and with DeliveryInterrupted when it is unknown whether the request arrived.
   */
  readonly send: (request: OutgoingRequest) => Promise<HttpResponse>;
  /** Runs a part of the delivery unless an earlier attempt has completed it. */
  readonly once: (part: string, run: () => Promise<void>) => Promise<void>;
  /** Names by id: of gateways, and of the relays of an application. Unknown ones are missing. */
  readonly gatewayNames: (gatewayIDs: readonly string[], applicationID: number) => Promise<ReadonlyMap<string, string>>;
  readonly variables: (devEUI: string) => Promise<Readonly<Record<string, string>>>;
}

/** Delivers events to the endpoints of one kind of integration. */
export interface IntegrationAdapter<Config> {
  /** Why it delivers nothing: the service was discontinued. */
  readonly discontinued?: string;
  /** The events that it delivers; others are skipped. */
  readonly eventTypes: readonly LoggedType[];
  /** Whether a configuration has a destination for events of a type; without this function it has one for each type. */
  hasDestination?(this: void, type: LoggedType, config: Config): boolean;
  /** Resolves when the event was delivered, or there is nothing to deliver; rejects with DeliveryError. */
  deliver(this: void, event: LoggedEvent, job: DeliveryJob<Config>): Promise<void>;
  /**
   * For formats with several events in a request: delivers all or none. The delivery retries a refused batch in halves.
   */
  deliverBatch?: {
    maxEvents: number;
    deliver(this: void, events: readonly LoggedEvent[], job: DeliveryJob<Config>): Promise<void>;
  };
  /** Closes connections that were kept open between deliveries. */
  stop?: () => Promise<void>;
}

export interface ConfiguredIntegration<Kind extends string = string> {
  readonly id: number;
  /** Of an integration of an organization: see `gatewaysOf`. Undefined for a global integration. */
  readonly applicationID: number | undefined;
  readonly kind: Kind;
  /** The configuration as a message of the contract, with secrets in clear text. */
  readonly config: object;
  /** Changes with each update. */
  readonly revision: number;
}

/** Whether an integration delivers events of a type. */
export function delivers(
  { eventTypes, hasDestination }: IntegrationAdapter<object>,
  { config }: Pick<ConfiguredIntegration, 'config'>,
  type: LoggedType,
): boolean {
  return eventTypes.includes(type) && (hasDestination?.(type, config) ?? true);
}
