import type { Region } from '@hilltop/lorawan';
import { defaultChannelIndexes } from '@hilltop/lorawan';
import type { RadioSettings } from './session.ts';

/**
 * The number of uplinks without any downlink until a device sets ADRACKReq, and until each further step (LoRaWAN 1.0.4
 * §4.3.1.1).
 */
const limit = 64;
const delay = 32;

/** Whether the device sets ADRACKReq; never at the slowest data rate and full power. */
export function asksForDownlink(uplinksInSilence: number, radio: RadioSettings): boolean {
  return uplinksInSilence >= limit && (radio.dataRate > 0 || radio.txPowerIndex > 0);
}

/**
 * Applies the back-off step for that many uplinks without a downlink: full power, then slower data rates, finally all
 * channels.
 */
export function backOff(uplinksInSilence: number, radio: RadioSettings, region: Region): void {
  const beyond = uplinksInSilence - limit;
  if (beyond <= 0 || beyond % delay !== 0) return;
  if (radio.txPowerIndex > 0) radio.txPowerIndex = 0;
  else if (radio.dataRate > 0) radio.dataRate -= 1;
  else {
    radio.enabledChannels = [...new Set([...radio.enabledChannels, ...defaultChannelIndexes(region)])];
    radio.nbTrans = 1;
  }
}
