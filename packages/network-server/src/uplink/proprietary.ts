import type { ProprietaryFrame } from '@hilltop/lorawan';
import { effectOf } from '../network/effect-of.ts';
import type { Network } from '../network/network.ts';
import type { Uplink } from '../radio/uplink.ts';
import { type Decision, decisionOf } from './decision.ts';

/** A frame without a device, such as the ping of a gateway: only the application gets it. */
export async function decideProprietary(
  network: Network,
  { txInfo, receptions }: Uplink,
  { bytes: macPayload, mic }: ProprietaryFrame,
): Promise<Decision> {
  const rxInfo = receptions.map((one) => one.rxInfo);
  const effect = network.applicationServer.handleProprietaryUplink({ macPayload, mic, txInfo, rxInfo });
  return decisionOf({ dropped: 'proprietary', effects: await effectOf(network, effect, '') });
}
