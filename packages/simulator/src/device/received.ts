import type { MacCommand } from '@hilltop/lorawan';

/** The frame in a receive window. */
export type Received =
  | { kind: 'joined'; devAddr: string }
  | {
      kind: 'data';
      fCnt: number;
      fPort: number | null;
      /** Decrypted; empty on FPort 0, whose content is in `commands`. */
      data: Uint8Array;
      confirmed: boolean;
      /** Whether it acknowledges the last confirmed uplink. */
      acknowledged: boolean;
      fPending: boolean;
      commands: MacCommand[];
    }
  | { kind: 'refused'; reason: 'malformed' | 'mic' | 'replayed' | 'other-device' | 'unexpected' };
