import { channel } from 'node:diagnostics_channel';

/** Steps of a delivery between which a process may end. Everything before a step is done, and nothing after it. */
export const deliverySteps = [
  /** An event is in the log, in a transaction that has not ended. */
  'event appended',
  'event committed',
  'events read',
  'before attempt',
  'after attempt',
  /** Rows of an event and of the later ones of its device are on disk. */
  'retries stored',
  'dead letter stored',
  /** A retry was delivered, and its row is deleted. */
  'retry completed',
  'retry postponed',
  'retry given up',
  'dead letters requeued',
  'cursor stored',
  'replay created',
  'event replayed',
  'replay stored',
] as const;

export type DeliveryStep = (typeof deliverySteps)[number];

/** Steps of the history, in its worker. */
export const historySteps = [
  'waiting events read',
  /** The blocks of a device are written, in a transaction that has not ended. */
  'blocks written',
  'sealed',
  /** Blocks are removed, in a transaction that has not ended. */
  'blocks removed',
  'removal committed',
] as const;

export type HistoryStep = (typeof historySteps)[number];

/** Tests subscribe, and end the process or its storage at a step. */
export const deliveryStep = channel('hilltop.delivery.step');
export const historyStep = channel('hilltop.history.step');

export function failPoint(step: DeliveryStep): void {
  if (deliveryStep.hasSubscribers) deliveryStep.publish(step);
}

export function historyFailPoint(step: HistoryStep): void {
  if (historyStep.hasSubscribers) historyStep.publish(step);
}
