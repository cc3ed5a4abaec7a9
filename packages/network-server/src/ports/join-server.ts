import type { CFList } from '@hilltop/lorawan';
import type { Effect } from '../state/effect.ts';
import type { KeyEnvelope } from '../state/session.ts';

/** Holds the root keys: the application side, or a join server elsewhere. */
export interface JoinServer {
  /**
   * Checks the MIC of a join-request (or answers a rejoin-request, whose MIC the network server checked), counts the
   * JoinNonce, seals the join-accept and derives the session keys.
   */
  join(request: JoinRequest): Promise<JoinAnswer>;
}

export interface JoinRequest {
  joinType: 'join' | 'rejoin0' | 'rejoin1' | 'rejoin2';
  /** The request as received. */
  phyPayload: Uint8Array;
  devEUI: string;
  joinEUI: string;
  /** DevNonce of a join-request, RJcount of a rejoin-request. */
  devNonce: number;
  macVersion: string;
  netID: string;
  devAddr: string;
  /** `optNeg` = LoRaWAN 1.1 key derivation. */
  dlSettings: { optNeg: boolean; rx1DROffset: number; rx2DataRate: number };
  /** Seconds. */
  rxDelay: number;
  cFList: CFList | null;
}

export type JoinAnswer =
  | {
      result: 'Success';
      /** The sealed join-accept. */
      phyPayload: Uint8Array;
      /** The same in clear, for the frame log of the device; null when the join server does not pass it on. */
      clear: Uint8Array | null;
      /** In clear; a 1.0 device has its NwkSKey in all three. */
      fNwkSIntKey: Uint8Array;
      sNwkSIntKey: Uint8Array;
      nwkSEncKey: Uint8Array;
      appSKey: KeyEnvelope;
      /** Written with the new session: for a join-server that counts its JoinNonce in the same database. */
      effects: Effect[];
    }
  | {
      result: 'UnknownDevEUI' | 'KeysMissing' | 'MICFailed' | 'Other';
      /** A plain sentence, shown in the OTAA error event of the device. */
      description: string;
    };
