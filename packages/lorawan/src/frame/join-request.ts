import { readIdentifier, readUint, writeIdentifier, writeUint } from '../bytes.ts';
import { FrameError } from '../errors.ts';
import type { JoinRequestFrame } from './frame.ts';

/** Join-request = JoinEUI 8, DevEUI 8, DevNonce 2 (LoRaWAN 1.1 §6.2.2). */
const length = 18;

export function decodeJoinRequest(payload: Uint8Array): Omit<JoinRequestFrame, 'mType' | 'major' | 'mic'> {
  if (payload.length !== length) {
    throw new FrameError('joinRequest', 1 + payload.length, `expected ${length} bytes, got ${payload.length}`);
  }
  return {
    joinEUI: readIdentifier(payload, 0, 8),
    devEUI: readIdentifier(payload, 8, 8),
    devNonce: readUint(payload, 16, 2),
  };
}

export function encodeJoinRequest(frame: JoinRequestFrame): Uint8Array {
  const payload = new Uint8Array(length);
  writeIdentifier(payload, 0, 'joinEUI', frame.joinEUI, 8);
  writeIdentifier(payload, 8, 'devEUI', frame.devEUI, 8);
  writeUint(payload, 16, 'devNonce', frame.devNonce, 2);
  return payload;
}
