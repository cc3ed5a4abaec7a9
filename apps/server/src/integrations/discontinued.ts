import { DeliveryError } from '../outgoing/delivery-error.ts';
import type { IntegrationAdapter } from './integration.ts';

/** The adapter of a discontinued service: it skips new events, and events in the retry queue become dead letters with this message. */
export function discontinuedAdapter(message: string): IntegrationAdapter<never> {
  return {
    discontinued: message,
    eventTypes: [],
    deliver: () => Promise.reject(new DeliveryError('event', message)),
  };
}
