/** The channels of a station, from its `router_config`. */
import type { Modulation } from '@hilltop/lorawan';
import type { Transmission } from '../device/transmission.ts';

/** The part that a station reads. */
export interface RouterConfig {
  readonly region: string;
  readonly DRs: readonly (readonly [spreadingFactor: number, bandwidth: number, downlinkOnly: number])[];
  readonly sx1301_conf: readonly Readonly<Record<string, ConcentratorPart>>[];
  readonly bcning: { readonly DR: number; readonly freqs: readonly number[] } | null;
}

interface ConcentratorPart {
  readonly enable: boolean;
  readonly freq?: number;
  readonly radio?: number;
  readonly if?: number;
  readonly bandwidth?: number;
  readonly spread_factor?: number;
}

interface ChannelOfStation {
  readonly frequency: number;
  readonly receives: (modulation: Modulation) => boolean;
}

export interface StationRadio {
  /** The data-rate number of a transmission; null when it is on none of the channels. */
  receiveFrame(transmission: Pick<Transmission, 'frequency' | 'modulation'>): number | null;
  /** Null when the configuration has no such data-rate. */
  modulationOf(dr: number): Modulation | null;
}

export function createStationRadio({ DRs, sx1301_conf: boards }: RouterConfig): StationRadio {
  const channels = boards.flatMap(channelsOfBoard);

  function modulationOf(dr: number): Modulation | null {
    const [spreadingFactor, bandwidth] = DRs[dr] ?? [-1, 0];
    if (spreadingFactor < 0) return null;
    if (spreadingFactor === 0) return { modulation: 'FSK', datarate: 50_000 };
    return { modulation: 'LORA', spreadingFactor, bandwidth };
  }

  return {
    modulationOf,
    receiveFrame({ frequency, modulation }) {
      if (!channels.some((channel) => channel.frequency === frequency && channel.receives(modulation))) return null;
      const dr = DRs.findIndex(([, , downlinkOnly], index) => {
        const known = modulationOf(index);
        return downlinkOnly === 0 && known !== null && isSame(known, modulation);
      });
      return dr === -1 ? null : dr;
    },
  };
}

function channelsOfBoard(board: Readonly<Record<string, ConcentratorPart>>): ChannelOfStation[] {
  return Object.entries(board).flatMap(([name, part]) => {
    if (!name.startsWith('chan_') || !part.enable) return [];
    const frequency = (board[`radio_${part.radio}`]?.freq ?? 0) + (part.if ?? 0);
    return [{ frequency, receives: (modulation: Modulation) => isHeardBy(name, part, modulation) }];
  });
}

function isHeardBy(name: string, part: ConcentratorPart, modulation: Modulation): boolean {
  if (name === 'chan_FSK') return modulation.modulation === 'FSK';
  if (modulation.modulation !== 'LORA') return false;
  if (name !== 'chan_Lora_std') return modulation.bandwidth === 125;
  return modulation.bandwidth * 1000 === part.bandwidth && modulation.spreadingFactor === part.spread_factor;
}

function isSame(a: Modulation, b: Modulation): boolean {
  if (a.modulation === 'LORA' && b.modulation === 'LORA') {
    return a.spreadingFactor === b.spreadingFactor && a.bandwidth === b.bandwidth;
  }
  return a.modulation === 'FSK' && b.modulation === 'FSK' && a.datarate === b.datarate;
}
