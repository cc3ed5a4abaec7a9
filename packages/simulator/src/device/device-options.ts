import type { Region, SessionKeys } from '@hilltop/lorawan';
import { macCommand } from '@hilltop/lorawan';
import type { Random } from '../random.ts';
import type { RootKeys } from './join.ts';
import type { DeviceSession } from './session.ts';
import { bootRadio, newSession } from './session.ts';

/** 16 bytes, as hex text or bytes. */
export type Key = string | Uint8Array;

/** Keys of an ABP device; a 1.0 device gives its NwkSKey in all three network roles, or only `nwkSKey`. */
export type PersonalizedKeys =
  | { nwkSKey: Key; appSKey: Key }
  | { fNwkSIntKey: Key; sNwkSIntKey: Key; nwkSEncKey: Key; appSKey: Key };

export interface DeviceOptions {
  devEUI: string;
  joinEUI?: string;
  /** `1.0.2`, `1.0.3`, `1.0.4` or `1.1.0`; everything below 1.1 behaves as 1.0. */
  macVersion?: string;
  region?: string | Region;
  /** Root keys of an OTAA device. A 1.0 device has one, its AppKey, given as nwkKey; 1.1 has both. */
  nwkKey?: Key;
  appKey?: Key;
  /** Session of an ABP device. */
  session?: { devAddr: string; keys: PersonalizedKeys; fCntUp?: number; fCntDown?: number; dataRate?: number };
  /** The device uses wrong keys for its MICs. */
  wrongKey?: boolean;
  /** Always listens, with the settings of RX2. */
  classC?: boolean;
  /**
   * Opens a ping slot every 2^periodicity seconds (0 to 7) after the network has confirmed it, while it receives
   * beacons.
   */
  classB?: { periodicity: number };
  /** Multicast groups that the device belongs to. */
  groups?: readonly { mcAddr: string; nwkSKey: Key; appSKey: Key; fCnt?: number }[];
  /** Whether the device lets the network choose its data-rate. */
  adr?: boolean;
  /** Level for DevStatusAns, see `Device.battery`. */
  battery?: number;
  /** The last used DevNonce; random if omitted. */
  devNonce?: number;
  random?: Random;
}

export function rootKeysOf({ nwkKey, appKey, wrongKey }: DeviceOptions): RootKeys | null {
  if (!nwkKey) return null;
  const given = { nwkKey: keyBytes(nwkKey), appKey: keyBytes(appKey ?? nwkKey) };
  return wrongKey ? { nwkKey: spoiled(given.nwkKey), appKey: spoiled(given.appKey) } : given;
}

export function sessionOf(options: DeviceOptions, region: Region, macVersion: string): DeviceSession | null {
  const { session, wrongKey } = options;
  if (!session) return null;
  const keys = sessionKeys(session.keys);
  const fNwkSIntKey = wrongKey ? spoiled(keys.fNwkSIntKey) : keys.fNwkSIntKey;
  const radio = bootRadio(region);
  const fCntDown = session.fCntDown ?? 0;
  return newSession({
    devAddr: session.devAddr,
    version: macVersion.startsWith('1.1') ? '1.1' : '1.0',
    keys: { ...keys, fNwkSIntKey },
    radio: { ...radio, dataRate: session.dataRate ?? radio.dataRate },
    fCntUp: session.fCntUp ?? 0,
    nFCntDown: fCntDown,
    aFCntDown: fCntDown,
  });
}

/** A group has a session of LoRaWAN 1.0, whatever the version of the device. */
export function groupSessionsOf({ groups = [] }: DeviceOptions, region: Region): DeviceSession[] {
  return groups.map(({ mcAddr: devAddr, fCnt = 0, ...keys }) =>
    newSession({ devAddr, version: '1.0', keys: sessionKeys(keys), radio: bootRadio(region), nFCntDown: fCnt }),
  );
}

/** The commands that a 1.1 ABP device sends until the network confirms them. */
export const resetInd = macCommand('ResetInd', { devLoRaWANVersion: { minor: 1 } });

function sessionKeys(keys: PersonalizedKeys): SessionKeys {
  const appSKey = keyBytes(keys.appSKey);
  if ('nwkSKey' in keys) {
    const nwkSKey = keyBytes(keys.nwkSKey);
    return { fNwkSIntKey: nwkSKey, sNwkSIntKey: nwkSKey, nwkSEncKey: nwkSKey, appSKey };
  }
  const { fNwkSIntKey, sNwkSIntKey, nwkSEncKey } = keys;
  return {
    fNwkSIntKey: keyBytes(fNwkSIntKey),
    sNwkSIntKey: keyBytes(sNwkSIntKey),
    nwkSEncKey: keyBytes(nwkSEncKey),
    appSKey,
  };
}

function keyBytes(key: Key): Uint8Array {
  return typeof key === 'string' ? Uint8Array.fromHex(key) : key;
}

function spoiled(key: Uint8Array): Uint8Array {
  return key.map((byte) => byte ^ 0x5a);
}
