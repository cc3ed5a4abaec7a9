/**
 * The network's side of one activation of a device (network keys, counters, radio parameters).
 * Everything outside `keys` is JSON-safe; `keys` holds secrets, to be stored encrypted.
 */
export interface DeviceSession {
  /** Random, new with each activation, so that a save never changes the session of another activation. */
  id: string;
  /** Compare-and-swap: a save succeeds only while the stored revision is this one, and stores the next. */
  revision: number;
  /**
   * A session of a join is pending beside the current one until its first uplink is verified (LoRaWAN 1.0.3 §6.2.4). The
   * next join makes it the replaced one, which its first uplink makes current as well: the later join-request may be a
   * late or recorded one, or no gateway sent its join-accept.
   */
  role: 'current' | 'pending' | 'replaced';
  origin: 'OTAA' | 'ABP';
  devEUI: string;
  joinEUI: string;
  devAddr: string;
  /** `1.0.3`, `1.1.0`, ... as in the device-profile at activation. */
  macVersion: string;
  activatedAt: number;
  /** The application knows of the join since the join-accept: its first uplink does not report it again. */
  isJoinReported?: boolean;
  keys: SessionKeys;

  /** The next expected counter. */
  fCntUp: number;
  /**
   * The latest counters before `fCntUp` whose uplinks were not processed. A peer may still have one of them: it is
   * processed after later ones. A single process handles all uplinks in order and stores none.
   */
  missed: number[];
  /** The next counter to use; the only downlink counter of 1.0. */
  nFCntDown: number;
  /** The next counter to use with FPort above 0 in 1.1. */
  aFCntDown: number;
  /** Counter of the last confirmed downlink that was sent: an ACK refers to it, and it is part of the MIC in 1.1. */
  confFCnt: number;
  /**
   * The previous one: a frame acknowledges it when the device sent, or repeats, the frame without having received the
   * last one.
   */
  formerConfFCnt: number;
  /** The last frame of each counter that was sent; only the identical frame may be sent under its counter again. */
  spent: Partial<Record<DownlinkCounter, SpentCounter>>;
  /** Consecutive downlinks whose MAC commands left no space for a queued item. */
  itemsPassedOver: number;
  /** How often the last uplink was repeated and answered again. */
  repeats: number;

  /** Seconds, 0 counts as 1. */
  rxDelay: number;
  rx1DROffset: number;
  rx2DataRate: number;
  rx2Frequency: number;

  adr: boolean;
  /** Data-rate of the last uplink. */
  dr: number;
  txPowerIndex: number;
  /**
   * The device may have returned to full power by itself: the network requests `txPowerIndex` even if nothing else
   * changes.
   */
  isTxPowerDoubtful: boolean;
  /** FCnt from which on the device may have set ADRACKReq; null when its last uplink had none. */
  adrAckReqSince: number | null;
  lowestTxPowerIndex: number;
  /** The highest index that the device accepts; null = unknown. */
  highestTxPowerIndex: number | null;
  nbTrans: number;
  enabledChannels: number[];
  /** Channels beyond the region's own. */
  extraChannels: { index: number; frequency: number; minDR: number; maxDR: number }[];
  /**
   * Channels that the device may have dropped, and those that the network requested: accepted until the device answers.
   */
  formerChannels: { index: number; frequency: number; minDR: number; maxDR: number }[];
  uplinkDwellTime400ms: boolean;
  downlinkDwellTime400ms: boolean;
  maxEIRPIndex: number;

  /** Newest last, at most 20. */
  uplinkHistory: UplinkHistoryEntry[];
  /** Refusals per request CID. */
  macErrors: Record<string, number>;
  /** Requests sent and not answered yet: per CID the encoded block (hex, each command with its CID). */
  pendingRequests: Record<string, string>;
  lastDevStatusRequestedAt: number | null;
  lastNewChannelRequestedAt: number | null;
  lastUplinkAt: number | null;
  /** When the last downlink was sent; in class B the end of its ping slot, which may be in the future. */
  lastDownlinkAt: number | null;

  mode: 'A' | 'B' | 'C';
  beaconLocked: boolean;
  pingSlotNb: number;
  pingSlotDR: number;
  pingSlotFrequency: number;
  /** The beacon frequency that the device was sent; 0: the frequency of the region. */
  beaconFrequency: number;

  /** Lowest RJcount0 still accepted. */
  rejoinCount0: number;
  rejoinParams: { maxTimeN: number; maxCountN: number } | null;

  /** Gateways that received the last uplink, best first: they can send downlinks. */
  receivers: Receiver[];
}

export type DownlinkCounter = 'nFCntDown' | 'aFCntDown';

export interface SpentCounter {
  fCnt: number;
  /** Of the encrypted frame: half of its SHA-256 in hex. */
  digest: string;
}

export interface SessionKeys {
  fNwkSIntKey: Uint8Array;
  sNwkSIntKey: Uint8Array;
  nwkSEncKey: Uint8Array;
  /** Stored until the application gets it with the first uplink. */
  appSKey: KeyEnvelope | null;
}

/** A key in plain text (`kekLabel` empty) or wrapped with the key-encryption key of that label (RFC 3394). */
export interface KeyEnvelope {
  kekLabel: string;
  aesKey: Uint8Array;
}

export interface UplinkHistoryEntry {
  fCnt: number;
  maxSNR: number;
  maxRSSI: number;
  txPowerIndex: number;
  gatewayCount: number;
}

export interface Receiver {
  gatewayID: string;
  snr: number;
  rssi: number;
  /** Opaque bytes of the gateway in hex, which it gets back with the downlink. */
  context: string;
  board: number;
  antenna: number;
}
