import type { Secrets } from '../secrets.ts';

/** Root keys of a device, 16 bytes each; a LoRaWAN 1.0 device has only the first (its AppKey), the other is zero. */
export type RootKeys = { nwkKey: Uint8Array; appKey: Uint8Array };

export type SealedKeys = { nwk_key: Uint8Array; app_key: Uint8Array };

export const rootKeyPurpose = (column: 'nwk_key' | 'app_key', devEUI: string) => `device.${column}:${devEUI}`;

export function sealRootKeys(secrets: Secrets, devEUI: string, { nwkKey, appKey }: RootKeys): SealedKeys {
  return {
    nwk_key: secrets.seal(nwkKey, rootKeyPurpose('nwk_key', devEUI)),
    app_key: secrets.seal(appKey, rootKeyPurpose('app_key', devEUI)),
  };
}

export function openRootKeys(secrets: Secrets, devEUI: string, row: SealedKeys): RootKeys {
  return {
    nwkKey: openRootKey(secrets, devEUI, row, 'nwk_key'),
    appKey: openRootKey(secrets, devEUI, row, 'app_key'),
  };
}

export const openRootKey = (secrets: Secrets, devEUI: string, row: SealedKeys, which: keyof SealedKeys): Uint8Array =>
  secrets.open(row[which], rootKeyPurpose(which, devEUI));
