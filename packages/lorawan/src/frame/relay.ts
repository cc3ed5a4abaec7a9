import { FrameError } from '../errors.ts';
import { readFrequency, writeFrequency } from '../frequency.ts';

/**
 * FPort of frames between a relay and its network about the devices behind it, encrypted with the NwkSEncKey (TS011).
 */
export const relayFPort = 226;

/** An uplink that a relay received: ForwardUplinkReq of TS011-1.0.1. */
export interface ForwardedUplink {
  dataRate: number;
  /** dB, -20 to 11. */
  snr: number;
  /** dBm, -142 to -15. */
  rssi: number;
  /** The channel on which the device woke the relay: 0 the default one, 1 the second. */
  worChannel: number;
  /** Hz */
  frequency: number;
  phyPayload: Uint8Array;
}

const headerLength = 6;

/**
 * Three bytes of metadata (data-rate in bits 0 to 3, SNR + 20 in 4 to 8, -15 - RSSI in 9 to 15, channel in 16 and 17), the
 * frequency, the frame. ForwardDownlinkReq is the frame alone.
 */
export function decodeForwardedUplink(bytes: Uint8Array): ForwardedUplink {
  const [low = 0, middle = 0, high = 0] = bytes;
  if (bytes.length <= headerLength) {
    throw new FrameError('forwardedUplink', bytes.length, `expected more than ${headerLength} bytes`);
  }
  return {
    dataRate: low & 0x0f,
    snr: ((low >> 4) | ((middle & 1) << 4)) - 20,
    rssi: -15 - (middle >> 1),
    worChannel: high & 0x03,
    frequency: readFrequency(bytes, 3),
    phyPayload: bytes.slice(headerLength),
  };
}

/** Limits values to the range of their field. */
export function encodeForwardedUplink(uplink: ForwardedUplink): Uint8Array {
  const { dataRate, worChannel, frequency, phyPayload } = uplink;
  const snr = Math.round(Math.min(11, Math.max(-20, uplink.snr))) + 20;
  const rssi = -15 - Math.round(Math.min(-15, Math.max(-142, uplink.rssi)));
  const bytes = new Uint8Array(headerLength + phyPayload.length);
  bytes.set([dataRate | ((snr & 0x0f) << 4), (snr >> 4) | (rssi << 1), worChannel]);
  writeFrequency(bytes, 3, 'frequency', frequency);
  bytes.set(phyPayload, headerLength);
  return bytes;
}
