/** Types that all other packages use. */
import type { EnumOf } from '../enumeration.ts';
import { enumeration } from '../enumeration.ts';
import type { MessageOf } from '../message.ts';
import { message } from '../message.ts';

export const LocationSource = enumeration('common.LocationSource', {
  UNKNOWN: 0,
  GPS: 1,
  CONFIG: 2,
  GEO_RESOLVER_TDOA: 3,
  GEO_RESOLVER_RSSI: 4,
  GEO_RESOLVER_GNSS: 5,
  GEO_RESOLVER_WIFI: 6,
});
export type LocationSource = EnumOf<typeof LocationSource>;

export const MType = enumeration('common.MType', {
  JoinRequest: 0,
  JoinAccept: 1,
  UnconfirmedDataUp: 2,
  UnconfirmedDataDown: 3,
  ConfirmedDataUp: 4,
  ConfirmedDataDown: 5,
  RejoinRequest: 6,
  Proprietary: 7,
});
export type MType = EnumOf<typeof MType>;

export const Modulation = enumeration('common.Modulation', { LORA: 0, FSK: 1, LR_FHSS: 2 });
export type Modulation = EnumOf<typeof Modulation>;

export const Region = enumeration('common.Region', {
  EU868: 0,
  US915: 2,
  CN779: 3,
  EU433: 4,
  AU915: 5,
  CN470: 6,
  AS923: 7,
  AS923_2: 12,
  AS923_3: 13,
  AS923_4: 14,
  KR920: 8,
  IN865: 9,
  RU864: 10,
  ISM2400: 11,
});
export type Region = EnumOf<typeof Region>;

export const KeyEnvelope = message('common.KeyEnvelope', {
  kekLabel: [1, 'string'],
  aesKey: [2, 'bytes'],
});
export type KeyEnvelope = MessageOf<typeof KeyEnvelope>;

export const Location = message('common.Location', {
  latitude: [1, 'double'],
  longitude: [2, 'double'],
  altitude: [3, 'double'],
  source: [4, LocationSource],
  accuracy: [5, 'uint32'],
});
export type Location = MessageOf<typeof Location>;
