/** Who sent a frame that a gateway received. `netID`: hexadecimal; absent where the address tells no network. */
export type AirtimeSender =
  | { readonly kind: 'own'; readonly devEUI?: string }
  | { readonly kind: 'foreign'; readonly netID?: string }
  /** Neither CRC nor bytes tell who sent it. */
  | { readonly kind: 'unreadable' };

/** A frame in Hz and microseconds; `dr` is null where the region has no such data-rate. */
export interface ReceivedAirtime {
  readonly frequency: number;
  readonly dr: number | null;
  readonly airtimeUs: number;
  readonly sender: AirtimeSender;
}

/** `subBand`: the sub-band whose duty cycle is limited; absent without one. */
export interface SentAirtime {
  readonly subBand?: { readonly from: number; readonly dutyCycle: number } | undefined;
  readonly airtimeUs: number;
}

/** Takes the time on air of each frame that a gateway received or sent. Called once for each frame, so it only adds. */
export interface AirtimeObserver {
  received(gatewayID: string, frame: ReceivedAirtime): void;
  sent(gatewayID: string, frame: SentAirtime): void;
}
