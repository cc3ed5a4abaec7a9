import type { Channel, JoinAccept, Region, SessionKeys } from '@hilltop/lorawan';
import {
  channelsAfterJoin,
  defaultChannelIndexes,
  highestADRDataRate,
  rx2Defaults,
  uplinkChannels,
} from '@hilltop/lorawan';

/** How a device transmits and listens; MAC commands such as LinkADRReq change it. */
export interface RadioSettings {
  dataRate: number;
  txPowerIndex: number;
  nbTrans: number;
  enabledChannels: number[];
  /** Channels beyond the region's own, from the CFList and NewChannelReq. */
  extraChannels: Channel[];
  rx1DelayMs: number;
  rx1DROffset: number;
  rx2: { frequency: number; dataRate: number };
  /** RX1 frequencies by channel index, where DLChannelReq changed them. */
  downlinkFrequencies: Map<number, number>;
  /** The settings of ping slots of a class B device; frequency 0: by the hopping rule of the region. */
  pingSlot: { frequency: number; dataRate: number };
  /** Duty cycle 1 / 2^n that the network requested. */
  maxDutyCycle: number;
}

/** The session of a device. Counters are the next ones to use or to expect. */
export interface DeviceSession {
  devAddr: string;
  version: '1.0' | '1.1';
  keys: SessionKeys;
  fCntUp: number;
  /** The only downlink counter of 1.0. */
  nFCntDown: number;
  aFCntDown: number;
  /** FCnt of the last confirmed uplink, to which an ACK refers. */
  confirmedFCntUp: number;
  /** FCnt of a confirmed downlink that the next uplink acknowledges. */
  toAcknowledge: number | null;
  radio: RadioSettings;
}

/** Radio settings of a device before it joins. */
export function bootRadio(region: Region): RadioSettings {
  const enabledChannels = defaultChannelIndexes(region);
  return {
    dataRate: highestADRDataRate(region, uplinkChannels(region)) ?? 0,
    txPowerIndex: 0,
    nbTrans: 1,
    enabledChannels,
    extraChannels: [],
    rx1DelayMs: 1000,
    pingSlot: { frequency: 0, dataRate: region.pingSlot.dataRate },
    rx1DROffset: 0,
    rx2: { ...rx2Defaults(region) },
    downlinkFrequencies: new Map(),
    maxDutyCycle: 0,
  };
}

/** Radio settings after a join-accept; the data rate stays that of the join. */
export function joinedRadio(region: Region, accept: JoinAccept, dataRate: number): RadioSettings {
  const boot = bootRadio(region);
  return {
    ...boot,
    ...channelsAfterJoin(region, accept.cFList),
    dataRate,
    rx1DelayMs: (accept.rxDelay || 1) * 1000,
    rx1DROffset: accept.dlSettings.rx1DROffset,
    rx2: { frequency: boot.rx2.frequency, dataRate: accept.dlSettings.rx2DataRate },
  };
}

export function newSession(
  session: Pick<DeviceSession, 'devAddr' | 'version' | 'keys' | 'radio'> & Partial<DeviceSession>,
): DeviceSession {
  return { fCntUp: 0, nFCntDown: 0, aFCntDown: 0, confirmedFCntUp: 0, toAcknowledge: null, ...session };
}
