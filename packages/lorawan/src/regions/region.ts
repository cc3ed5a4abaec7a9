/**
 * A region is one flat record of facts (LoRaWAN Regional Parameters 1.0.2 to RP002-1.0.3). The functions that use it
 * depend on no region name, so a new region is one record and one line in registry.ts. Frequencies in Hz, bandwidths in
 * kHz, powers in dBm.
 */
export interface Region {
  name: string;
  /** Other names of the region, including its enumeration name in the network server API. */
  aliases: readonly string[];
  frequencyRange: readonly [number, number];
  /** Dynamic plans let the network define channels; fixed plans only enable and disable theirs. */
  channelPlan: 'dynamic' | 'fixed';
  maxUplinkChannels: number;
  cFListType: 0 | 1;
  /** First MAC version whose devices support the CFList of this region; null: all. */
  cFListSince: string | null;
  dataRates: DataRates;
  /** Data rates of an extra channel in a CFList, and of a default channel. */
  uplinkDataRates: readonly [number, number];
  /** The highest data-rate that ADR sets. */
  maxADRDataRate: number;
  maxPayload: readonly MaxPayloadRule[];
  /** dB below the maximum EIRP, by TXPower index. */
  txPowerOffsets: readonly number[];
  maxEIRP: number;
  /** The first rule that covers the frequency gives the power of downlinks. */
  downlinkTxPower: readonly { from: number; to: number; power: number }[];
  uplinkChannels: readonly ChannelRun[];
  downlinkChannels: readonly ChannelRun[];
  /** RX1 uses the downlink channel with the uplink's channel index modulo this; null: RX1 uses the uplink frequency. */
  rx1ChannelModulo: number | null;
  rx1DataRates: readonly RX1DataRates[];
  rx2: { frequency: number; dataRate: number };
  /** Layout: byte offsets of time and info, and length. With several frequencies, beacons hop. */
  beacon: { dataRate: number; frequencies: readonly number[]; layout: readonly [number, number, number] };
  pingSlot: { dataRate: number; frequencies: readonly number[] };
  /** MAC versions whose devices support TXParamSetupReq in this region. */
  txParamSetup: readonly string[];
  subBands: readonly SubBand[];
  /** Whether a rule of the region limits how long gateways send in a sub-band; elsewhere other rules apply. */
  limitsDutyCycle?: true;
  /** Channels that networks of this region usually add to the defaults. */
  recommendedExtraChannels: readonly { frequency: number; minDR: number; maxDR: number }[];
  /** The channels that a gateway without configuration listens to. */
  gatewayChannels: readonly GatewayChannel[];
  /** Name of the region in LoRa Basics Station. */
  basicsStationRegion: string;
}

/** From and to in Hz; `dutyCycle` is the share of an hour, 1 for no limit. */
export interface SubBand {
  from: number;
  to: number;
  dutyCycle: number;
  maxEIRP: number;
}

export type DataRates = Readonly<Record<number, DataRate>>;

export type DataRate = (
  | { modulation: 'LORA'; spreadingFactor: number; bandwidth: number; codeRate: string }
  /** datarate in bits per second */
  | { modulation: 'FSK'; datarate: number }
  /** width in Hz; codeRate 1/3 or 2/3 */
  | { modulation: 'LR_FHSS'; operatingChannelWidth: number; codeRate: string }
) & { uplink: boolean; downlink: boolean };

/** Channels index, index + 1, ... of one spacing. */
export interface ChannelRun {
  index: number;
  count: number;
  frequency: number;
  step: number;
  minDR: number;
  maxDR: number;
}

export interface Channel {
  index: number;
  frequency: number;
  minDR: number;
  maxDR: number;
}

/** The largest MACPayload in bytes by data-rate (null: not allowed); applies when all given conditions do. */
export interface MaxPayloadRule {
  repeater: boolean;
  dwell?: boolean;
  macVersions?: readonly string[];
  revisions?: readonly string[];
  sizes: readonly (number | null)[];
}

/** RX1 data-rate by uplink data-rate (row) and RX1DROffset (column); null: no such uplink data-rate. */
export interface RX1DataRates {
  /** RP1: revisions A and B of the older documents. Absent: applies to all. */
  family?: 'RP1' | 'RP002';
  /** With or without a downlink dwell time limit. Absent: applies to both. */
  dwell?: boolean;
  rows: readonly (readonly number[] | null)[];
}

export type GatewayChannel =
  | { modulation: 'LORA'; frequency: number; bandwidth: number; spreadingFactors: readonly number[] }
  | { modulation: 'FSK'; frequency: number; bandwidth: number; datarate: number };
