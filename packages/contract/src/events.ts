/**
 * What the event and frame streams carry, as their readers see it. `payloadJSON` and `phyPayloadJSON` are text that holds
 * JSON of these shapes. Identifiers inside events are base64; inside a physical payload they are hexadecimal.
 */
import type { DownlinkTXInfo, UplinkRXInfo, UplinkTXInfo } from './frame-log.ts';
import type { Location } from './location.ts';

interface EventOfDevice {
  readonly applicationID: string;
  readonly applicationName: string;
  readonly deviceName: string;
  /** Base64. */
  readonly devEUI: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly publishedAt: string;
}

export interface UplinkEvent extends EventOfDevice {
  /** Empty unless the service-profile adds gateway meta-data. */
  readonly rxInfo: readonly UplinkRXInfo[];
  readonly txInfo: UplinkTXInfo;
  readonly adr: boolean;
  readonly dr: number;
  readonly fCnt: number;
  readonly fPort: number;
  /** Base64, decrypted; null when empty. */
  readonly data: string | null;
  /** JSON text made by the codec; empty without one. */
  readonly objectJSON: string;
  readonly confirmedUplink: boolean;
  /** Base64. */
  readonly devAddr: string;
  readonly deviceProfileID: string;
  readonly deviceProfileName: string;
}

export interface JoinEvent extends EventOfDevice {
  /** Base64. */
  readonly devAddr: string;
  readonly rxInfo: readonly UplinkRXInfo[];
  readonly txInfo: UplinkTXInfo;
  readonly dr: number;
}

export interface StatusEvent extends EventOfDevice {
  /** Signal-to-noise ratio of the last status request at the device, in dB. */
  readonly margin: number;
  readonly externalPowerSource: boolean;
  readonly batteryLevelUnavailable: boolean;
  /** Percent. */
  readonly batteryLevel: number;
}

export interface AckEvent extends EventOfDevice {
  readonly acknowledged: boolean;
  readonly fCnt: number;
}

export interface TxAckEvent extends EventOfDevice {
  readonly fCnt: number;
  /** Base64. */
  readonly gatewayID: string;
  readonly txInfo: DownlinkTXInfo;
}

export type ErrorEventType =
  | 'UNKNOWN'
  | 'DOWNLINK_PAYLOAD_SIZE'
  | 'DOWNLINK_FCNT'
  | 'DOWNLINK_CODEC'
  | 'DOWNLINK_GATEWAY'
  | 'OTAA'
  | 'UPLINK_FCNT_RESET'
  | 'UPLINK_MIC'
  | 'UPLINK_CODEC'
  | 'UPLINK_FCNT_RETRANSMISSION';

export interface ErrorEvent extends EventOfDevice {
  readonly type: ErrorEventType;
  readonly error: string;
  readonly fCnt: number;
}

export interface LocationEvent extends EventOfDevice {
  readonly location: Location;
  /** Base64. */
  readonly uplinkIDs: readonly string[];
  readonly fCnt: number;
}

export interface IntegrationEvent extends EventOfDevice {
  readonly integrationName: string;
  readonly eventType: string;
  readonly objectJSON: string;
}

/** The payload of each event type. */
export interface EventPayloads {
  readonly up: UplinkEvent;
  readonly join: JoinEvent;
  readonly status: StatusEvent;
  readonly ack: AckEvent;
  readonly txack: TxAckEvent;
  readonly error: ErrorEvent;
  readonly location: LocationEvent;
  readonly integration: IntegrationEvent;
}

export type EventType = keyof EventPayloads;

/** What arrives over a stream: a result or the error that ended it. */
export type StreamMessage<Item> =
  | { readonly result: Item; readonly error?: undefined }
  | {
      readonly result?: undefined;
      readonly error: {
        readonly grpcCode: number;
        readonly httpCode: number;
        readonly message: string;
        readonly httpStatus: string;
      };
    };

/** A MAC command (request name for both directions), or bytes that could not or may not be read as commands. */
export type MacCommandJson = { readonly cid: string; readonly payload: unknown } | { readonly bytes: string };

export interface DataPayloadJson {
  readonly fhdr: {
    readonly devAddr: string;
    readonly fCtrl: {
      readonly adr: boolean;
      readonly adrAckReq: boolean;
      readonly ack: boolean;
      readonly fPending: boolean;
      readonly classB: boolean;
    };
    /** The 16 bits that were on air. */
    readonly fCnt: number;
    readonly fOpts: readonly MacCommandJson[] | null;
  };
  readonly fPort: number | null;
  readonly frmPayload: readonly MacCommandJson[] | null;
}

export interface JoinRequestJson {
  readonly joinEUI: string;
  readonly devEUI: string;
  readonly devNonce: number;
}

/** A join-accept, which stays encrypted, or a proprietary frame. */
export interface OpaquePayloadJson {
  readonly bytes: string;
}

export type RejoinRequestJson =
  | { readonly rejoinType: 0 | 2; readonly netID: string; readonly devEUI: string; readonly rjCount0: number }
  | { readonly rejoinType: 1; readonly joinEUI: string; readonly devEUI: string; readonly rjCount1: number };

interface PhyPayloadOf<MType extends string, MacPayload> {
  readonly mhdr: { readonly mType: MType; readonly major: string };
  readonly macPayload: MacPayload;
  /** Hexadecimal. */
  readonly mic: string;
}

/** What `phyPayloadJSON` of a frame log item holds. */
export type PhyPayloadJson =
  | PhyPayloadOf<'UnconfirmedDataUp' | 'UnconfirmedDataDown' | 'ConfirmedDataUp' | 'ConfirmedDataDown', DataPayloadJson>
  | PhyPayloadOf<'JoinRequest', JoinRequestJson>
  | PhyPayloadOf<'JoinAccept' | 'Proprietary', OpaquePayloadJson>
  | PhyPayloadOf<'RejoinRequest', RejoinRequestJson>;
