import { readFileSync } from 'node:fs';

/** Published test vectors in the form in which the tests read them. */
export interface Vector {
  id: string;
  kind: string;
  description: string;
  hex: string;
  keys: Record<string, string>;
  params: Params;
  /** Compared as a whole or field by field; the content depends on the kind. */
  expect: Expected;
}

export type Check = (vector: Vector) => void;

export interface Params {
  direction: 'up' | 'down';
  version: '1.0' | '1.1';
  devAddr: string;
  devEui: string;
  joinEui: string;
  netId: string;
  mcAddr: string;
  mcKeyEncrypted: string;
  joinNonce: number;
  devNonce: number;
  joinReqType: 0xff | 0 | 1 | 2;
  fCnt: number;
  fCntFull: number;
  confFCnt?: number;
  txDr?: number;
  txCh?: number;
  aFCntDown: boolean;
  nextFCnt: number;
  received16: number;
  what: 'phyPayload' | 'joinAcceptPlain' | 'cfList' | 'macStreamUp' | 'macStreamDown';
  utc: string;
  afterGpsMs: number;
  beaconTimeSeconds: number;
  pingNb: number;
  region: string;
  macVersion: string;
  regParamsRevision: string;
  repeaterCompatible: boolean;
  dwellTime400ms: boolean;
  downlinkDwell400ms: boolean;
  uplinkFrequency: number;
  uplinkDr: number;
  rx1DrOffset: number;
  dr: number;
  extraChannels?: number[];
  enabledChannels?: string;
  deviceEnabledChannels: string;
  networkEnabledChannels: string;
  payloadSize: number;
  spreadingFactor: number;
  bandwidthKHz: number;
  codingRate: string;
  preambleSymbols: number;
  header: boolean;
  lowDataRateOptimize: boolean;
  eirpDbm: number;
  snr: number;
  txPowerDbm: number;
}

type Scalars = Record<string, string | number | boolean | null>;

export interface Expected {
  [member: string]: unknown;
  mic: string;
  micValid: boolean;
  fCtrl: Scalars & { fOptsLen: number };
  dlSettings: { optNeg: boolean; rx1DrOffset: number; rx2DataRate: number };
  sessionKeys?: Record<string, string>;
  commands: ExpectedCommand[];
}

export interface ExpectedCommand {
  cid: number;
  name: string;
  fields: Record<string, unknown>;
}

const file = JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8')) as {
  vectors: Partial<Vector>[];
};

export const vectors: readonly Vector[] = file.vectors.map(
  (vector) => ({ hex: '', keys: {}, params: {}, ...vector }) as Vector,
);

export function key(vector: Vector, name: string): Uint8Array {
  const text = vector.keys[name];
  if (text === undefined) throw new Error(`${vector.id} gives no key ${name}`);
  return Uint8Array.fromHex(text);
}

/** '0-7,64' as a list of numbers. */
export function parseRanges(text: string): number[] {
  return text.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number);
    return Array.from({ length: last! - first! + 1 }, (_, nth) => first! + nth);
  });
}
