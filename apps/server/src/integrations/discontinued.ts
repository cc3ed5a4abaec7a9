import { DeliveryError } from '../outgoing/delivery-error.ts';
import type { IntegrationAdapter } from './integration.ts';

/** A kind whose service has ended: it takes no events, and what still waits is given up with this sentence. */
export function discontinuedAdapter(sentence: string): IntegrationAdapter<never> {
  return {
    discontinued: sentence,
    eventTypes: [],
    deliver: () => Promise.reject(new DeliveryError('event', sentence)),
  };
}
