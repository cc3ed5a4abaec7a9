/**
 * `router_config`: the settings of the concentrator of a station, from the channels and limits of its network.
 * Frequencies in Hz.
 */
import type { gw } from '@hilltop/protobuf';
import type { StationRates } from './data-rates.ts';

export interface StationRegion {
  /** The name in the protocol of stations. */
  readonly name: string;
  readonly frequencyRange: readonly [number, number];
  readonly rates: StationRates;
  /** In dBm, for regions whose limits stations do not know. */
  readonly maxEIRP?: number | undefined;
  /** null: no beacons. */
  readonly beacon: {
    readonly dataRate: number;
    readonly layout: readonly number[];
    readonly frequencies: readonly number[];
  } | null;
}

export interface RouterConfig {
  readonly config: Readonly<Record<string, unknown>>;
  /** Channels that exceed the concentrator. */
  readonly leftOut: readonly gw.ChannelConfiguration[];
}

/** The message without its time (`MuxTime`). If no channel fits, `config` has none. */
export function routerConfigOf(region: StationRegion, channels: readonly gw.ChannelConfiguration[]): RouterConfig {
  const { concentrator, leftOut } = concentratorFor(channels);
  const { name, frequencyRange, rates, maxEIRP, beacon } = region;
  const config = {
    msgtype: 'router_config',
    NetID: null,
    JoinEui: null,
    region: name,
    hwspec: 'sx1301/1',
    freq_range: frequencyRange,
    DRs: Array.from({ length: 16 }, (_, dr) => rateOf(rates[dr] ?? null)),
    sx1301_conf: [concentrator],
    nocca: true,
    nodc: true,
    nodwell: true,
    ...(maxEIRP !== undefined && { max_eirp: maxEIRP }),
    bcning: beacon && { DR: beacon.dataRate, layout: beacon.layout, freqs: beacon.frequencies },
  };
  return { config, leftOut };
}

function rateOf(rate: StationRates[number]): [number, number, number] {
  if (rate === null) return [-1, 0, 0];
  if (rate.modulation === 'FSK') return [0, 0, 0];
  return [rate.spreadingFactor, rate.bandwidth, rate.uplink ? 0 : 1];
}

/** A channel with the part of the concentrator that it needs: `multi` receives all spreading factors of 125 kHz. */
interface Placed {
  demodulator: 'multi' | 'single' | 'fsk';
  frequency: number;
  bandwidth: number;
  spreadingFactor: number;
}

const demodulators = { multi: 8, single: 1, fsk: 1 } as const;
const radios = 2;

/** Assigns channels in order; later ones that do not fit are left out. */
function concentratorFor(channels: readonly gw.ChannelConfiguration[]) {
  const taken: Placed[] = [];
  const leftOut: gw.ChannelConfiguration[] = [];
  let centres: number[] = [];
  for (const channel of channels) {
    const placed = placedOf(channel);
    const isRoom = placed && taken.filter((one) => one.demodulator === placed.demodulator).length < room(placed);
    const next = placed && isRoom ? radioCentres([...taken, placed]) : null;
    if (!placed || !next || next.length > radios) {
      leftOut.push(channel);
      continue;
    }
    taken.push(placed);
    centres = next;
  }
  return { concentrator: settingsOf(taken, centres), leftOut };
}

const room = ({ demodulator }: Placed): number => demodulators[demodulator];

function placedOf({ frequency, loRaModulationConfig: loRa, fskModulationConfig: fsk }: gw.ChannelConfiguration) {
  if (fsk) return { demodulator: 'fsk', frequency, bandwidth: 125_000, spreadingFactor: 0 } satisfies Placed;
  const bandwidth = (loRa?.bandwidth ?? 0) * 1000;
  if (!(bandwidth in coverage)) return null;
  const spreadingFactor = loRa?.spreadingFactors[0] ?? 0;
  return { demodulator: bandwidth === 125_000 ? 'multi' : 'single', frequency, bandwidth, spreadingFactor } as Placed;
}

/** The range of one radio in Hz for channels of a bandwidth. */
const coverage: Readonly<Record<number, number>> = { 125_000: 925_000, 250_000: 1_000_000, 500_000: 1_100_000 };
const coverageFor = ({ bandwidth }: Placed): number => coverage[bandwidth] ?? 0;

function isCovered(centre: number, channel: Placed): boolean {
  return Math.abs(channel.frequency - centre) + channel.bandwidth / 2 <= coverageFor(channel) / 2;
}

/** Places each radio at the lowest channel that the previous one does not cover. */
function radioCentres(channels: readonly Placed[]): number[] {
  const centres: number[] = [];
  for (const channel of channels.toSorted((a, b) => a.frequency - b.frequency || a.bandwidth - b.bandwidth)) {
    if (centres.some((centre) => isCovered(centre, channel))) continue;
    centres.push(channel.frequency - channel.bandwidth / 2 + coverageFor(channel) / 2);
  }
  return centres;
}

function settingsOf(taken: readonly Placed[], centres: readonly number[]): Record<string, object> {
  const settings: Record<string, object> = {};
  for (let nth = 0; nth < radios; nth += 1) {
    const freq = centres[nth];
    settings[`radio_${nth}`] = { enable: freq !== undefined, freq: freq ?? 0 };
  }
  const of = (demodulator: Placed['demodulator']) => taken.filter((channel) => channel.demodulator === demodulator);
  const position = (channel: Placed | undefined) => {
    const radio = channel ? centres.findIndex((centre) => isCovered(centre, channel)) : 0;
    return channel ? { enable: true, radio, if: channel.frequency - (centres[radio] ?? 0) } : { enable: false };
  };
  const multi = of('multi');
  for (let nth = 0; nth < demodulators.multi; nth += 1) settings[`chan_multiSF_${nth}`] = position(multi[nth]);
  const [single] = of('single');
  const { bandwidth, spreadingFactor } = single ?? {};
  settings.chan_Lora_std = { ...position(single), ...(single && { bandwidth, spread_factor: spreadingFactor }) };
  settings.chan_FSK = position(of('fsk')[0]);
  return settings;
}
