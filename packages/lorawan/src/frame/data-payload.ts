import { readIdentifier, readUint, writeIdentifier, writeUint } from '../bytes.ts';
import { FrameError } from '../errors.ts';
import { type DataFrame, type DataMType, directionOf } from './frame.ts';
import { decodeFCtrl, encodeFCtrl } from './frame-header.ts';

/** MACPayload of a data frame = FHDR (DevAddr 4, FCtrl 1, FCnt 2, FOpts 0-15), [FPort 1, FRMPayload] (LoRaWAN 1.1 §4.3). */

const fixedHeaderLength = 7;
const macPayloadAt = 1;

export function decodeDataPayload(mType: DataMType, payload: Uint8Array): Omit<DataFrame, 'mType' | 'major' | 'mic'> {
  if (payload.length < fixedHeaderLength) {
    throw new FrameError('macPayload', macPayloadAt + payload.length, 'a data frame carries at least seven bytes here');
  }
  const { fOptsLength, ...fCtrl } = decodeFCtrl(directionOf(mType), payload[4]!);
  const fPortAt = fixedHeaderLength + fOptsLength;
  if (fPortAt > payload.length)
    throw new FrameError('fOpts', macPayloadAt + payload.length, 'FOptsLen reaches past the end');
  const fPort = fPortAt < payload.length ? payload[fPortAt]! : null;
  if (fPort === 0 && fOptsLength > 0) throw new FrameError('fPort', macPayloadAt + fPortAt, 'FPort 0 excludes FOpts');
  return {
    devAddr: readIdentifier(payload, 0, 4),
    fCtrl,
    fCnt: readUint(payload, 5, 2),
    fOpts: payload.slice(fixedHeaderLength, fPortAt),
    fPort,
    frmPayload: payload.slice(fPortAt + 1),
  };
}

export function encodeDataPayload(frame: DataFrame): Uint8Array {
  const { fOpts, fPort, frmPayload } = frame;
  if (fOpts.length > 15) throw new FrameError('fOpts', 8, `at most 15 bytes fit, got ${fOpts.length}`);
  if (fPort === 0 && fOpts.length > 0) throw new FrameError('fPort', 8 + fOpts.length, 'FPort 0 excludes FOpts');
  if (fPort === null && frmPayload.length > 0)
    throw new FrameError('frmPayload', 8 + fOpts.length, 'it needs an FPort');
  const fPortAt = fixedHeaderLength + fOpts.length;
  const payload = new Uint8Array(fPort === null ? fPortAt : fPortAt + 1 + frmPayload.length);
  writeIdentifier(payload, 0, 'devAddr', frame.devAddr, 4);
  payload[4] = encodeFCtrl(directionOf(frame.mType), frame.fCtrl, fOpts.length);
  writeUint(payload, 5, 'fCnt', frame.fCnt, 2);
  payload.set(fOpts, fixedHeaderLength);
  if (fPort === null) return payload;
  writeUint(payload, fPortAt, 'fPort', fPort, 1);
  payload.set(frmPayload, fPortAt + 1);
  return payload;
}
