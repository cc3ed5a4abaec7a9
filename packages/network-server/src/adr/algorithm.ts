import type { Channel, Region } from '@hilltop/lorawan';
import type { UplinkHistoryEntry } from '../state/session.ts';

/** The current settings of a device and the measurements of its link. */
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
  /** Limits of service-profile, network and channels. */
  minDR: number;
  maxDR: number;
  /** The channels the device may use. */
  channels: readonly Channel[];
  /** Oldest first, at most 20; restarts when the device accepts a change. */
  history: readonly UplinkHistoryEntry[];
  /** A fraction from 0 to below 1. */
  random: () => number;
}

/** The settings that the device should use. */
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

const fullHistory = 20;

/** Whether as many uplinks as a decision needs were measured at the current power. */
export function hasFullHistory({ history, txPowerIndex }: Pick<ADRRequest, 'history' | 'txPowerIndex'>): boolean {
  return history.length >= fullHistory && history.every((entry) => entry.txPowerIndex === txPowerIndex);
}
