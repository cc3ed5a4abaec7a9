/**
 * Settings of one embedded network server. Times have the unit of their name. -1 and null mean the value of the region.
 */
export interface Settings {
  /** Time during which copies of one uplink are collected. */
  deduplicationDelayMs: number;
  /** Pause between publishing an uplink and choosing the response, in which the application can enqueue one. */
  getDownlinkDataDelayMs: number;
  /** Seconds. */
  rx1Delay: number;
  rx1DROffset: number;
  rx2DataRate: number | null;
  rx2Frequency: number | null;
  /** Which receive windows are used. */
  rxWindow: 'BOTH' | 'RX1' | 'RX2';
  /** RX2 first when the RX1 data-rate is below this one. */
  rx2PreferOnRX1DRLt: number;
  /** RX2 first when its power and sensitivity reach further. */
  rx2PreferOnLinkBudget: boolean;
  /** dBm EIRP, null = the regional table. */
  downlinkTxPower: number | null;
  /**
   * Whether gateways keep to the duty cycle of their sub-bands: they may exceed it when there is no other way, or never,
   * or it is ignored.
   */
  dutyCycle: 'WATCH' | 'KEEP' | 'OFF';
  /** dB that ADR reserves. */
  installationMargin: number;
  /** Limits of ADR in addition to those of the service profile; null = none. */
  adrMinDR: number | null;
  adrMaxDR: number | null;
  /** dBm EIRP: ADR requests no less from any device; null = the last step of the region. */
  adrMinTxPower: number | null;
  disableADR: boolean;
  disableMACCommands: boolean;
  /** A gateway that received a device with this many dB above the required SNR is good enough to send downlinks. */
  gatewayPreferMinMargin: number;
  /** A command refused more often is not sent again. */
  maxMACCommandErrorCount: number;
  /** Uplink channels in use, null = all of the region. */
  enabledChannels: number[] | null;
  /** Channels beyond the region's own (dynamic plans). */
  extraChannels: { frequency: number; minDR: number; maxDR: number }[];
  uplinkDwellTime400ms: boolean;
  downlinkDwellTime400ms: boolean;
  repeaterCompatible: boolean;
  /** dBm EIRP a device may use at most. */
  uplinkMaxEIRP: number | null;
  /** Requests rejoin-requests from 1.1 devices; null = off. */
  rejoinRequest: { maxTimeN: number; maxCountN: number } | null;
  /** The least time between two class C downlinks to one device. */
  classCDownlinkLockMs: number;
  /**
   * The least time between two class C downlinks to groups at one gateway, and the most between two gateways of a
   * group.
   */
  multicastGatewayDelayMs: number;
  /** Class B and C: a downlink without an answer of its gateway is sent again after this time. */
  downlinkTimeoutMs: number;
  classBPingSlotDR: number | null;
  classBPingSlotFrequency: number;
  /** Hz; 0 = the frequency of the region. */
  classBBeaconFrequency: number;
  /** A session ends when nothing was received from its device or sent to it for this many days; 0 = never. */
  deviceSessionDays: number;
  frameLogHistory: number;
  /** The time of a gateway counts while it differs from ours by at most this. */
  gatewayClockToleranceMs: number;
  /** Uplinks of unknown gateways are processed, too. */
  allowUnknownGateways: boolean;
  /** Joins are reported with the join-accept instead of the first uplink. */
  joinEventAtJoinAccept: boolean;
  /**
   * The most copies that were received and not processed yet; more are refused, so that their gateway gets no
   * acknowledgement.
   */
  maxUnprocessedCopies: number;
}

export const defaultSettings: Settings = {
  deduplicationDelayMs: 200,
  getDownlinkDataDelayMs: 100,
  rx1Delay: 1,
  rx1DROffset: 0,
  rx2DataRate: null,
  rx2Frequency: null,
  rxWindow: 'BOTH',
  rx2PreferOnRX1DRLt: 0,
  rx2PreferOnLinkBudget: false,
  downlinkTxPower: null,
  dutyCycle: 'WATCH',
  installationMargin: 10,
  adrMinDR: null,
  adrMaxDR: null,
  adrMinTxPower: null,
  disableADR: false,
  disableMACCommands: false,
  gatewayPreferMinMargin: 10,
  maxMACCommandErrorCount: 3,
  enabledChannels: null,
  extraChannels: [],
  uplinkDwellTime400ms: false,
  downlinkDwellTime400ms: false,
  repeaterCompatible: false,
  uplinkMaxEIRP: null,
  rejoinRequest: null,
  classCDownlinkLockMs: 2000,
  multicastGatewayDelayMs: 2000,
  downlinkTimeoutMs: 1000,
  classBPingSlotDR: null,
  classBPingSlotFrequency: 0,
  classBBeaconFrequency: 0,
  deviceSessionDays: 31,
  frameLogHistory: 10,
  gatewayClockToleranceMs: 2000,
  allowUnknownGateways: false,
  joinEventAtJoinAccept: false,
  maxUnprocessedCopies: 20_000,
};
