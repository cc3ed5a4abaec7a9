import { readIdentifier, readUint, writeIdentifier, writeUint } from '../bytes.ts';
import { FrameError } from '../errors.ts';
import type { RejoinRequestFrame } from './frame.ts';

/** Rejoin-request: types 0 and 2 = type 1, NetID 3, DevEUI 8, RJcount0 2; type 1 = type 1, JoinEUI 8, DevEUI 8, RJcount1 2 (LoRaWAN 1.1 §6.2.4). */
type RejoinPayload = { devEUI: string; rjCount: number } & (
  | { rejoinType: 0 | 2; netID: string }
  | { rejoinType: 1; joinEUI: string }
);

export function decodeRejoinRequest(payload: Uint8Array): RejoinPayload {
  const rejoinType = payload[0];
  if (rejoinType === undefined || rejoinType > 2)
    throw new FrameError('rejoinType', 1, `${rejoinType} is not 0, 1 or 2`);
  const homeLength = rejoinType === 1 ? 8 : 3;
  const expected = 1 + homeLength + 8 + 2;
  if (payload.length !== expected) {
    throw new FrameError('rejoinRequest', 1 + payload.length, `expected ${expected} bytes, got ${payload.length}`);
  }
  const home = readIdentifier(payload, 1, homeLength);
  const devEUI = readIdentifier(payload, 1 + homeLength, 8);
  const rjCount = readUint(payload, 9 + homeLength, 2);
  if (rejoinType === 1) return { rejoinType, joinEUI: home, devEUI, rjCount };
  return { rejoinType: rejoinType === 0 ? 0 : 2, netID: home, devEUI, rjCount };
}

export function encodeRejoinRequest(frame: RejoinRequestFrame): Uint8Array {
  const homeLength = frame.rejoinType === 1 ? 8 : 3;
  const payload = new Uint8Array(1 + homeLength + 8 + 2);
  writeUint(payload, 0, 'rejoinType', frame.rejoinType, 1);
  if (frame.rejoinType === 1) writeIdentifier(payload, 1, 'joinEUI', frame.joinEUI, 8);
  else writeIdentifier(payload, 1, 'netID', frame.netID, 3);
  writeIdentifier(payload, 1 + homeLength, 'devEUI', frame.devEUI, 8);
  writeUint(payload, 9 + homeLength, 'rjCount', frame.rjCount, 2);
  return payload;
}
