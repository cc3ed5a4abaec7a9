import type { DeliveryAttempt } from '@hilltop/contract';
import type { DeviceEvent } from '../events/event.ts';

/**
 * What parts of the server tell each other once it is on disk: loss is harmless, listeners re-read. One topic has many
 * keys (a device, a session), and a listener hears only its key. What
 * leaves the process does so as JSON, an event as its `json()`.
 */
export type BusTopics = {
  /** Keyed by DevEUI: an event that was just stored in the device's history. */
  'device-event': DeviceEvent;
  /** Keyed by user id: a session ended, or what the user may do changed. */
  'access-changed': { userID: string };
  /** Keyed by '': an integration came, changed or went; of the whole installation when there is no application. */
  'integration-changed': { applicationID: number | undefined };
  /** Keyed by the number of an integration: what was just written into its delivery log, the oldest first. */
  'delivery-lines': readonly DeliveryAttempt[];
};

export type BusTopic = keyof BusTopics;

export type Bus = {
  /** Returns at once; a listener's failure is logged and reaches neither the publisher nor its neighbours. */
  publish<T extends BusTopic>(topic: T, key: string, payload: BusTopics[T]): void;
  /** Hears what is published from the moment the promise resolves; the function it gives ends it. */
  subscribe<T extends BusTopic>(topic: T, key: string, listener: (payload: BusTopics[T]) => void): Promise<() => void>;
  close(): Promise<void>;
};
