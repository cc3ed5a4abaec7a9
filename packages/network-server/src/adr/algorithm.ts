import type { Channel, Region } from '@hilltop/lorawan';
import type { UplinkHistoryEntry } from '../state/session.ts';

/** What a device uses now, and what is known about its link. */
export interface ADRRequest {
  region: Region;
  macVersion: string;
  regParamsRevision: string;
  adr: boolean;
  dr: number;
  txPowerIndex: number;
  nbTrans: number;
  minTxPowerIndex: number;
  maxTxPowerIndex: number;
  /** dB, for the data-rate in use. */
  requiredSNR: number;
  installationMargin: number;
  /** Limits of the service-profile. */
  minDR: number;
  maxDR: number;
  /** The channels the device may use. */
  channels: readonly Channel[];
  /** Oldest first, at most 20. */
  history: readonly UplinkHistoryEntry[];
  /** Fraction from 0 up to 1. */
  random: () => number;
}

/** What the device shall use. */
export interface ADRResponse {
  dr: number;
  txPowerIndex: number;
  nbTrans: number;
}

export interface ADRAlgorithm {
  id: string;
  name: string;
  adapt(request: ADRRequest): ADRResponse;
}

/** History entries that make a full picture of the link. */
export const fullHistory = 20;
