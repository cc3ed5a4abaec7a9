import { macCommand } from '@hilltop/lorawan';
import type { DeviceContext } from '../network/device-context.ts';

/** LoRaWAN 1.0.4 §5.4: second window and offset of the first, by the settings of the network. */
export function rxParamSetupReqs({ network, session }: DeviceContext) {
  const { rx2Frequency, rx2DataRate, rx1DROffset } = network.wanted;
  const isSet =
    session.rx2Frequency === rx2Frequency && session.rx2DataRate === rx2DataRate && session.rx1DROffset === rx1DROffset;
  const dlSettings = { optNeg: false, rx1DROffset, rx2DataRate };
  return isSet ? [] : [macCommand('RXParamSetupReq', { frequency: rx2Frequency, dlSettings })];
}
