import { RpcError } from '@hilltop/protobuf';
import type { Effect } from '../state/effect.ts';
import type { Network } from './network.ts';

/**
 * Waits for the effect of the application. A refusal (`RpcError`) concerns this one message: it is logged and there is
 * no effect. Any other error is thrown.
 */
export async function effectOf(network: Network, asked: Promise<Effect>, devEUI: string): Promise<Effect[]> {
  try {
    return [await asked];
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    noteRefusal(network, devEUI, error, 'The application refused a message.');
    return [];
  }
}

/** Counts and logs that the application refused a request about one device. */
export function noteRefusal(network: Network, devEUI: string, { code, message: reason }: RpcError, text: string): void {
  network.count('application_refusals', { code });
  network.log.warn({ devEUI, code, reason }, text);
}
