import { concatBytes } from '../bytes.ts';
import { FrameError } from '../errors.ts';
import { decodeDataPayload, encodeDataPayload } from './data-payload.ts';
import { type Frame, mTypes } from './frame.ts';
import { decodeJoinRequest, encodeJoinRequest } from './join-request.ts';
import { decodeRejoinRequest, encodeRejoinRequest } from './rejoin-request.ts';

/** PHYPayload = MHDR 1, MACPayload, MIC 4 (LoRaWAN 1.1 §4): transmitted bytes to a frame and back. */

const micLength = 4;

/**
 * Decodes one PHYPayload. Encrypted parts stay encrypted and the MIC unchecked. Decodes any major version. The result
 * shares no memory with `bytes`. Throws FrameError when the bytes are not a LoRaWAN frame.
 */
export function decodeFrame(bytes: Uint8Array): Frame {
  if (bytes.length < 1 + micLength) throw new FrameError('phyPayload', bytes.length, 'a frame has at least five bytes');
  const mhdr = bytes[0]!;
  const mType = mTypes[mhdr >>> 5]!;
  const major = mhdr & 0x03;
  if (mType === 'JoinAccept') return { mType, major, bytes: decodeSealedJoinAccept(bytes) };
  const payload = bytes.subarray(1, bytes.length - micLength);
  const mic = bytes.slice(bytes.length - micLength);
  switch (mType) {
    case 'JoinRequest':
      return { mType, major, ...decodeJoinRequest(payload), mic };
    case 'RejoinRequest':
      return { mType, major, ...decodeRejoinRequest(payload), mic };
    case 'Proprietary':
      return { mType, major, bytes: payload.slice(), mic };
    default:
      return { mType, major, ...decodeDataPayload(mType, payload), mic };
  }
}

/** Encodes a frame for transmission, with reserved bits zero. Throws FrameError when a value does not fit its field. */
export function encodeFrame(frame: Frame): Uint8Array {
  const head = new Uint8Array([(mTypes.indexOf(frame.mType) << 5) | (frame.major & 0x03)]);
  if (frame.mType === 'JoinAccept') return concatBytes(head, frame.bytes);
  if (frame.mic.length !== micLength) throw new FrameError('mic', 1, `expected 4 bytes, got ${frame.mic.length}`);
  return concatBytes(head, encodeMacPayload(frame), frame.mic);
}

function encodeMacPayload(frame: Exclude<Frame, { mType: 'JoinAccept' }>): Uint8Array {
  switch (frame.mType) {
    case 'JoinRequest':
      return encodeJoinRequest(frame);
    case 'RejoinRequest':
      return encodeRejoinRequest(frame);
    case 'Proprietary':
      return frame.bytes;
    default:
      return encodeDataPayload(frame);
  }
}

function decodeSealedJoinAccept(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== 17 && bytes.length !== 33) {
    throw new FrameError('joinAccept', bytes.length, 'a join-accept has 17 or 33 bytes');
  }
  return bytes.slice(1);
}
