import { RpcError } from '@hilltop/protobuf';
import type { Effect } from './application-server.ts';
import type { Network } from './network.ts';

/**
 * Asks the application side for its reaction. A refusal (`RpcError`) concerns this one message: it is logged and there
 * is no effect. Any other error goes on to the caller.
 */
export async function effectOf(network: Network, asked: Promise<Effect>, devEUI: string): Promise<Effect[]> {
  try {
    return [await asked];
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    network.count('application_refusals', { code: error.code });
    network.log.warn({ devEUI, code: error.code, reason: error.message }, 'The application refused a message.');
    return [];
  }
}
