import { DeliveryTrouble, type Integration } from './integration.ts';

/** A kind whose service has ended: it takes no events, and what still waits is given up with this sentence. */
export function ended(sentence: string): Integration<never> {
  return { ended: sentence, takes: [], deliver: () => Promise.reject(new DeliveryTrouble('event', sentence)) };
}
