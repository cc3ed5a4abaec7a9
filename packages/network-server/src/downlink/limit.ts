import { maxPayloadSize } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import type { DeviceProfileRecord } from '../state/records.ts';
import type { DeviceSession } from '../state/session.ts';

/** Bytes of FOpts and FRMPayload a downlink to this device may have at a data-rate; 0 when it must not be used. */
export function limitOf(
  { region, settings }: Network,
  { downlinkDwellTime400ms: dwell }: DeviceSession,
  { macVersion, regParamsRevision }: DeviceProfileRecord,
  dr: number,
): number {
  const options = { repeater: settings.repeaterCompatible, dwell };
  return maxPayloadSize(region, macVersion, regParamsRevision, dr, options)?.n ?? 0;
}
