import type { CFList } from '@hilltop/lorawan';
import type { Effect } from '../state/effect.ts';
import type { KeyEnvelope } from '../state/session.ts';

/** The holder of the root keys: the application server, or an external join server. */
export interface JoinServer {
  /**
   * Checks the MIC of a join-request (for a rejoin-request, the network server checked the MIC), increments the
   * JoinNonce, encrypts the join-accept and derives the session keys.
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
      /** The encrypted join-accept. */
      phyPayload: Uint8Array;
      /** The same in plain text, for the frame log of the device; null when the join server does not provide it. */
      clear: Uint8Array | null;
      /** In plain text; a 1.0 device has its NwkSKey in all three. */
      fNwkSIntKey: Uint8Array;
      sNwkSIntKey: Uint8Array;
      nwkSEncKey: Uint8Array;
      appSKey: KeyEnvelope;
      /** Written with the new session, for a join server that counts its JoinNonce in the same database. */
      effects: Effect[];
    }
  | {
      result: 'UnknownDevEUI' | 'KeysMissing' | 'MICFailed' | 'Other';
      /** A plain sentence, shown in the OTAA error event of the device. */
      description: string;
    };
