import type { as, gw } from '@hilltop/protobuf';
import type { Effect } from '../state/effect.ts';
import type { ReceiveWindowName } from './downlink-reports.ts';
import type { JoinRefusalReason } from './join-refusals.ts';

type Callbacks = Omit<as.ApplicationServerService, 'reEncryptDeviceQueueItems' | 'handleUplinkData' | 'handleTxAck'>;
type HandleUplinkData = as.ApplicationServerService['handleUplinkData'];
type HandleTxAck = as.ApplicationServerService['handleTxAck'];
type ReEncrypt = as.ApplicationServerService['reEncryptDeviceQueueItems'];

/**
 * The `as` service as the embedded network server calls it, implemented by
 * apps/server/src/network/application-server.ts. Each callback decides and returns its effect without writing anything,
 * because a commit that lost a race is decided again. An `RpcError` refuses this one message. Any other error makes the
 * network server try again: without limit while storage fails, otherwise three times in all; then the uplink is dropped.
 * Only a stop leaves it in the journal.
 */
export type ApplicationServer = {
  [Method in keyof Callbacks]: (request: Parameters<Callbacks[Method]>[0]) => Promise<Effect>;
} & {
  handleUplinkData(request: Parameters<HandleUplinkData>[0], radio?: UplinkRadio): Promise<Effect>;
  /** With the setting `joinEventAtJoinAccept`: the join-request of a device is answered. */
  handleJoin(join: AcceptedJoin): Promise<Effect>;
  handleTxAck(request: Parameters<HandleTxAck>[0], sent?: SentDownlink): Promise<Effect>;
  /** Frames for which the service has no call. Remote network servers do not report them. */
  reportFrame(report: FrameReport): Promise<Effect>;
  /** `move`: the items move to another session, of which the application learns later. */
  reEncryptDeviceQueueItems(request: Parameters<ReEncrypt>[0], move?: SessionMove): ReturnType<ReEncrypt>;
};

/** How well a frame was received. */
export interface ReceptionQuality {
  /** dBm and dB, of the best gateway. */
  bestRSSI: number;
  bestSNR: number;
  gatewayCount: number;
  airtimeMs: number;
}

/** What the service has no members for: how an uplink was received. Remote network servers do not report it. */
export interface UplinkRadio extends ReceptionQuality {
  counter: CounterStep;
  /** Its MAC commands, at most 32. */
  mac: MacCommandNote[];
  /** The join of its session was reported with the join-accept. */
  isJoinReported: boolean;
  logged: LoggedFrame;
}

/** A frame as the frame log of its device shows it. */
export interface LoggedFrame {
  /** With its MAC commands in plain text, if they could be decrypted. */
  phyPayload: Uint8Array;
  publishedAt: Date;
  /** DevEUIs of the relays that forwarded it. */
  relays?: string[];
  /** Why the device may not join. */
  refused?: JoinRefusalReason;
}

/** What the service has no members for: a downlink that a gateway has sent. */
export interface SentDownlink {
  mac: MacCommandNote[];
  /** Null when the frame log does not show it. */
  logged: LoggedFrame | null;
}

/** As an uplink is reported; `rxInfo` is empty without gateway metadata. */
export type AcceptedJoin = Pick<Parameters<HandleUplinkData>[0], 'devEui' | 'rxInfo' | 'txInfo' | 'dr'> & {
  devAddr: Uint8Array;
};

/** A frame of a device that was refused, or one that causes no event: a join, or a downlink without application data. */
export interface FrameReport {
  devEUI: string;
  /** Why it was dropped. */
  dropped?: string;
  /** Dropped frames without a report before this one. */
  leftOut: number;
  frame: {
    direction: 'up' | 'down';
    mType: string;
    devAddr?: string;
    devNonce?: number;
    fCnt?: number;
    /** A downlink that acknowledges a confirmed uplink. */
    ack?: boolean;
    gatewayID?: string;
    window?: ReceiveWindowName;
    /** Hz. */
    frequency: number;
    dr?: number;
  };
  txInfo: { up: gw.UplinkTXInfo } | { down: gw.DownlinkTXInfo };
  /** Empty without gateway metadata. */
  rxInfo: gw.UplinkRXInfo[];
  logged: LoggedFrame | null;
  /** Absent when the device may use none of the gateways that received it. */
  received?: ReceptionQuality;
  mac: MacCommandNote[];
}

/** How the counter of an uplink follows that of the previous one of its session. */
export interface CounterStep {
  /** Counters between the two; 0 for the first uplink of a session, -1 for one that is processed after later ones. */
  skipped: number;
  /** The device began to count anew without a new session. */
  isReset: boolean;
  /** Time since the previous uplink. */
  sinceMs: number;
}

/** A MAC command in the form of frame logs. */
export interface MacCommandNote {
  name: string;
  payload?: Record<string, unknown>;
  /** The payload of the request that an answer belongs to. */
  request?: Record<string, unknown>;
  /** With an answer to LinkADRReq: what the device used before. */
  before?: { dataRate: number; txPower: number; nbRep: number };
}

/** The activations that queued items move between; `from` is null when the application already has it. */
export interface SessionMove {
  from: as.DeviceActivationContext | null;
  to: as.DeviceActivationContext;
}
