import { FrameError } from '../errors.ts';
import { decodeMacCommands, macCommandToJson } from '../mac-commands/codec.ts';
import { type DataFrame, type Direction, directionOf, type Frame, type JoinAccept, mTypes } from './frame.ts';
import { decodeJoinAccept, encodeDLSettings } from './join-accept.ts';
import { decodeFrame } from './phy-payload.ts';

/** Frames in the form of the frame logs: the phyPayloadJSON object of the API. */
export interface FrameJson {
  mhdr: { mType: Frame['mType']; major: string };
  macPayload: Record<string, unknown>;
  mic: string;
}

export interface FrameJsonOptions {
  /**
   * Shows FOpts, FRMPayload on FPort 0 and join-accepts in plain text, because the caller has decrypted them. Otherwise
   * they stay opaque.
   */
  macCommandsDecoded: boolean;
  /** Decides how commands are parsed; the default is the direction of the message type. */
  direction?: Direction;
}

/** The frame log object of a PHYPayload. Throws FrameError when the frame, or a command stream to be shown, is broken. */
export function frameToJson(bytes: Uint8Array, options: FrameJsonOptions): FrameJson {
  return decodedFrameToJson(decodeFrame(bytes), options);
}

/**
 * Shows any received bytes as far as possible: invalid commands stay opaque, and bytes that are not a frame are shown
 * with their header.
 */
export function anyFrameToJson(bytes: Uint8Array, options: FrameJsonOptions): FrameJson {
  for (const macCommandsDecoded of options.macCommandsDecoded ? [true, false] : [false]) {
    try {
      return frameToJson(bytes, { ...options, macCommandsDecoded });
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
    }
  }
  const [mhdr = 0xe0] = bytes;
  const mic = bytes.length < 5 ? new Uint8Array() : bytes.subarray(-4);
  return {
    mhdr: headerOf({ mType: mTypes[mhdr >>> 5]!, major: mhdr & 0x03 }),
    macPayload: { bytes: bytes.subarray(1, bytes.length - mic.length).toBase64() },
    mic: mic.toHex(),
  };
}

/** Shows a decoded frame, for example one whose FOpts were replaced by their decrypted form. */
export function decodedFrameToJson(frame: Frame, options: FrameJsonOptions): FrameJson {
  const mic = frame.mType === 'JoinAccept' ? frame.bytes.subarray(-4) : frame.mic;
  return { mhdr: headerOf(frame), macPayload: macPayloadOf(frame, options), mic: mic.toHex() };
}

function joinAcceptPayload(accept: JoinAccept): Record<string, unknown> {
  return {
    joinNonce: accept.joinNonce,
    homeNetID: accept.netID,
    devAddr: accept.devAddr,
    dlSettings: encodeDLSettings(accept.dlSettings).toString(16).padStart(2, '0'),
    rxDelay: accept.rxDelay,
    cFlist: accept.cFList,
  };
}

function headerOf({ mType, major }: Pick<Frame, 'mType' | 'major'>): FrameJson['mhdr'] {
  return { mType, major: major === 0 ? 'LoRaWANR1' : `Major(${major})` };
}

function macPayloadOf(frame: Frame, options: FrameJsonOptions): Record<string, unknown> {
  switch (frame.mType) {
    case 'JoinRequest':
      return { joinEUI: frame.joinEUI, devEUI: frame.devEUI, devNonce: frame.devNonce };
    case 'JoinAccept':
      if (options.macCommandsDecoded) return joinAcceptPayload(decodeJoinAccept(frame.bytes.subarray(0, -4)));
      return { bytes: frame.bytes.subarray(0, -4).toBase64() };
    case 'Proprietary':
      return { bytes: frame.bytes.toBase64() };
    case 'RejoinRequest': {
      const { rejoinType, devEUI, rjCount } = frame;
      if (rejoinType === 1) return { rejoinType, joinEUI: frame.joinEUI, devEUI, rjCount1: rjCount };
      return { rejoinType, netID: frame.netID, devEUI, rjCount0: rjCount };
    }
    default:
      return dataPayloadOf(frame, options);
  }
}

function dataPayloadOf(frame: DataFrame, options: FrameJsonOptions): Record<string, unknown> {
  const { devAddr, fCtrl, fCnt, fOpts, fPort, frmPayload } = frame;
  const direction = options.direction ?? directionOf(frame.mType);
  const show = (bytes: Uint8Array, areCommands: boolean) => {
    if (bytes.length === 0) return null;
    if (!areCommands) return [{ bytes: bytes.toBase64() }];
    return decodeMacCommands(direction, bytes).map(macCommandToJson);
  };
  return {
    fhdr: { devAddr, fCtrl, fCnt, fOpts: show(fOpts, options.macCommandsDecoded) },
    fPort,
    frmPayload: show(frmPayload, options.macCommandsDecoded && fPort === 0),
  };
}
