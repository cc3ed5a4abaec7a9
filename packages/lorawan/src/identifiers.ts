import { FrameError } from './errors.ts';

/** DevAddr and NetID: both hex text, most significant byte first (LoRaWAN Backend Interfaces 1.0, NetID and DevAddr). */

/** Bits of the NwkID inside a DevAddr, by NetID type 0 to 7. */
const nwkIdBits = [6, 6, 9, 11, 12, 13, 15, 17] as const;

/**
 * The fixed beginning of every DevAddr that a network may assign: `value` as DevAddr text followed by zeros, `length`
 * in bits.
 */
export interface DevAddrPrefix {
  value: string;
  length: number;
}

/** Type of a NetID (0 to 7), its top three bits. */
export function netIDType(netID: string): number {
  return parseNetID(netID) >>> 21;
}

/** ID part of a NetID: the low 6, 6, 9 or 21 bits, by type. */
export function netIDNumber(netID: string): number {
  const bits = [6, 6, 9][netIDType(netID)] ?? 21;
  return parseNetID(netID) & (2 ** bits - 1);
}

/** Prefix of the DevAddrs of a network: type t gives t one-bits and a zero, then the low bits of the NetID. */
export function devAddrPrefix(netID: string): DevAddrPrefix {
  const type = netIDType(netID);
  const bits = nwkIdBits[type]!;
  const length = type + 1 + bits;
  const typeBits = 2 ** (type + 1) - 2;
  const nwkID = parseNetID(netID) % 2 ** bits;
  return { value: toDevAddr((typeBits * 2 ** bits + nwkID) * 2 ** (32 - length)), length };
}

/** Replaces the beginning of four random bytes, given as DevAddr text, by the prefix of the network. */
export function devAddrWithPrefix(netID: string, devAddr: string): string {
  const { value, length } = devAddrPrefix(netID);
  return toDevAddr(Number.parseInt(value, 16) + (parseDevAddr(devAddr) % 2 ** (32 - length)));
}

/** NetID type and NwkID of a DevAddr; null for an address with eight leading one-bits, which no type uses. */
export function nwkIDOf(devAddr: string): { netIDType: number; nwkID: number } | null {
  const address = parseDevAddr(devAddr);
  const type = Math.clz32(~address);
  const bits = nwkIdBits[type];
  if (bits === undefined) return null;
  return { netIDType: type, nwkID: (address >>> (32 - type - 1 - bits)) & (2 ** bits - 1) };
}

/**
 * The NetID whose devices have such an address; null for an address that no type uses. Above type 2 an address has only
 * the low bits of the NetID: the others are taken for 0, as in all NetIDs assigned so far.
 */
export function netIDOf(devAddr: string): string | null {
  const network = nwkIDOf(devAddr);
  if (!network) return null;
  return (network.netIDType * 2 ** 21 + network.nwkID).toString(16).padStart(6, '0');
}

/** DevAddr text as an unsigned number. */
export function parseDevAddr(devAddr: string): number {
  if (!/^[0-9a-f]{8}$/i.test(devAddr)) throw new FrameError('devAddr', 0, `"${devAddr}" is not four bytes of hex text`);
  return Number.parseInt(devAddr, 16);
}

function parseNetID(netID: string): number {
  if (!/^[0-9a-f]{6}$/i.test(netID)) throw new FrameError('netID', 0, `"${netID}" is not three bytes of hex text`);
  return Number.parseInt(netID, 16);
}

function toDevAddr(address: number): string {
  return address.toString(16).padStart(8, '0');
}
