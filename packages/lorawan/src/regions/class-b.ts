import { writeIdentifier, writeUint } from '../bytes.ts';
import { aesEncryptBlocks } from '../crypto/aes.ts';
import { parseDevAddr } from '../identifiers.ts';
import type { Region } from './region.ts';

/** Times and frequencies of class B (LoRaWAN 1.0.4 §10 to §13). GPS times in milliseconds, beacon times in seconds. */

export const beaconPeriodSeconds = 128;
const beaconReservedMs = 2120;
const slotMs = 30;
const slotsPerPeriod = 4096;
const zeroKey = new Uint8Array(16);

/** The slots between two ping slots of a device, and the offset of its first one in the period of that beacon. */
export function pingOffset(
  devAddr: string,
  beaconTimeSeconds: number,
  pingNb: number,
): { pingPeriod: number; pingOffset: number } {
  const block = new Uint8Array(16);
  writeUint(block, 0, 'beaconTime', beaconTimeSeconds, 4);
  writeIdentifier(block, 4, 'devAddr', devAddr, 4);
  const random = aesEncryptBlocks(zeroKey, block);
  const pingPeriod = slotsPerPeriod / pingNb;
  return { pingPeriod, pingOffset: (random[0]! + 256 * random[1]!) % pingPeriod };
}

/** First ping slot strictly after a GPS time. */
export function nextPingSlot(devAddr: string, afterGpsMs: number, pingNb: number): number {
  let beaconTime = Math.floor(afterGpsMs / 1000 / beaconPeriodSeconds) * beaconPeriodSeconds;
  for (;;) {
    const { pingPeriod, pingOffset: offset } = pingOffset(devAddr, beaconTime, pingNb);
    const first = beaconTime * 1000 + beaconReservedMs + offset * slotMs;
    const missed = Math.max(Math.floor((afterGpsMs - first) / (pingPeriod * slotMs)) + 1, 0);
    if (missed < pingNb) return first + missed * pingPeriod * slotMs;
    beaconTime += beaconPeriodSeconds;
  }
}

/** Frequency of the ping slots in the period of that beacon, unless the session has its own. */
export function pingSlotFrequency(region: Region, devAddr: string, beaconTimeSeconds: number): number {
  const { frequencies } = region.pingSlot;
  return frequencies[
    (parseDevAddr(devAddr) + Math.floor(beaconTimeSeconds / beaconPeriodSeconds)) % frequencies.length
  ]!;
}

/** The first beacon that begins after a GPS time, and the index of its channel among those of the region. */
export function nextBeacon({ beacon }: Region, afterGpsMs: number): { atGpsMs: number; channel: number } {
  const nth = Math.floor(afterGpsMs / 1000 / beaconPeriodSeconds) + 1;
  return { atGpsMs: nth * beaconPeriodSeconds * 1000, channel: nth % beacon.frequencies.length };
}

export function beaconFrequency(region: Region, beaconTimeSeconds: number): number {
  const { frequencies } = region.beacon;
  return frequencies[Math.floor(beaconTimeSeconds / beaconPeriodSeconds) % frequencies.length]!;
}
