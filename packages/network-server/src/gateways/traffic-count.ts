import type { gw } from '@hilltop/protobuf';
import { otherFrequency } from '../radio/frequency-plan.ts';

/**
 * What a gateway received and sent since its last report. It is counted here because Semtech UDP does not report it.
 */
export interface TrafficCount {
  /**
   * `isPlanned`: by frequency and data rate it can belong to our network. All others are counted together, because
   * frequencies can be forged.
   */
  received(txInfo: gw.UplinkTXInfo, isPlanned: boolean): void;
  sent(txInfo: gw.DownlinkTXInfo): void;
  answered(status: gw.TxAckStatus): void;
  /** Adds the counts to a report and starts again. */
  attach(stats: gw.GatewayStats): gw.GatewayStats;
}

type Modulated = Pick<gw.UplinkTXInfo, 'loRaModulationInfo' | 'fskModulationInfo' | 'lrFHSSModulationInfo'>;

export function createTrafficCount(): TrafficCount {
  let rxFrequencies: Record<string, number> = {};
  let txFrequencies: Record<string, number> = {};
  let statuses: Record<string, number> = {};
  let rxModulations = new Map<string, gw.PerModulationCount>();
  let txModulations = new Map<string, gw.PerModulationCount>();

  return {
    received(txInfo, isPlanned) {
      add(rxFrequencies, String(isPlanned ? txInfo.frequency : otherFrequency));
      if (isPlanned) addModulation(rxModulations, txInfo);
    },
    sent(txInfo) {
      add(txFrequencies, String(txInfo.frequency));
      addModulation(txModulations, txInfo);
    },
    answered(status) {
      add(statuses, status);
    },
    attach(stats) {
      const attached: gw.GatewayStats = {
        ...stats,
        rxPacketsPerFrequency: rxFrequencies,
        txPacketsPerFrequency: txFrequencies,
        txPacketsPerStatus: statuses,
        rxPacketsPerModulation: [...rxModulations.values()],
        txPacketsPerModulation: [...txModulations.values()],
      };
      rxFrequencies = {};
      txFrequencies = {};
      statuses = {};
      rxModulations = new Map();
      txModulations = new Map();
      return attached;
    },
  };
}

function add(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

function addModulation(counts: Map<string, gw.PerModulationCount>, txInfo: Modulated): void {
  const { loRaModulationInfo: loRa, fskModulationInfo: fsk, lrFHSSModulationInfo: lrFHSS } = txInfo;
  const key = loRa
    ? `${loRa.spreadingFactor}/${loRa.bandwidth}`
    : `${fsk?.datarate}/${lrFHSS?.operatingChannelWidth}/${lrFHSS?.codeRate}`;
  const counted = counts.get(key);
  if (counted) counted.count += 1;
  else counts.set(key, { modulation: { loRa, fsk, lrFHSS }, count: 1 });
}
