import { channel } from 'node:diagnostics_channel';

/** Between any two of these a process may end: what comes before is done, what comes after is not. */
export const deliverySteps = [
  /** An event is in the log, in a transaction that has not ended. */
  'appended',
  'committed',
  'read',
  'trying',
  'tried',
  /** Its row and those of the later ones of its device are on disk. */
  'set aside',
  'buried',
  /** One that was set aside has arrived, and its row is gone. */
  'taken back',
  'put off',
  'given up',
  'revived',
  'position stored',
  'replay begun',
  'replayed',
  'replay stored',
] as const;

export type DeliveryStep = (typeof deliverySteps)[number];

/** Tests listen, and end the process at a step. Nobody else does. */
export const deliveryStep = channel('hilltop.delivery.step');

export function failPoint(step: DeliveryStep): void {
  if (deliveryStep.hasSubscribers) deliveryStep.publish(step);
}
