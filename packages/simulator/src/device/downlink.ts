import type { DataFrame } from '@hilltop/lorawan';
import {
  cryptFOpts,
  cryptFRMPayload,
  decodeFrame,
  decodeMacCommands,
  fullFCnt,
  isDataFrame,
  isDataMicValid,
} from '@hilltop/lorawan';
import type { Received } from './received.ts';
import type { DeviceSession } from './session.ts';
import { isOfNetwork } from './uplink.ts';

/** Verifies and decrypts a data downlink, and advances the counters of the session. @throws FrameError */
export function readDownlink(session: DeviceSession, phyPayload: Uint8Array): Received {
  const frame = decodeFrame(phyPayload);
  if (!isDataFrame(frame) || !frame.mType.endsWith('Down')) return { kind: 'refused', reason: 'unexpected' };
  if (frame.devAddr !== session.devAddr) return { kind: 'refused', reason: 'other-device' };
  const counter = counterOf(session, frame);
  const fCnt = fullFCnt(session[counter], frame.fCnt);
  if (!isMicRight(session, phyPayload, fCnt)) return { kind: 'refused', reason: 'mic' };
  if (fCnt < session[counter]) return { kind: 'refused', reason: 'replayed' };
  session[counter] = fCnt + 1;
  const confirmed = frame.mType === 'ConfirmedDataDown';
  if (confirmed) session.toAcknowledge = fCnt;
  const { data, commandBytes } = decrypted(session, frame, fCnt);
  return {
    kind: 'data',
    fCnt,
    fPort: frame.fPort,
    data,
    confirmed,
    acknowledged: frame.fCtrl.ack,
    fPending: frame.fCtrl.fPending,
    commands: decodeMacCommands('down', commandBytes),
  };
}

/** 1.1 has a separate counter for application downlinks (LoRaWAN 1.1 §4.3.1.5). */
function counterOf({ version }: DeviceSession, { fPort }: DataFrame): 'nFCntDown' | 'aFCntDown' {
  return version === '1.1' && fPort !== null && fPort > 0 ? 'aFCntDown' : 'nFCntDown';
}

function isMicRight({ version, keys, confirmedFCntUp }: DeviceSession, phyPayload: Uint8Array, fCnt: number): boolean {
  const { fNwkSIntKey, sNwkSIntKey } = keys;
  return isDataMicValid(phyPayload, { version, fNwkSIntKey, sNwkSIntKey, fCnt, confFCnt: confirmedFCntUp });
}

function decrypted(session: DeviceSession, frame: DataFrame, fCnt: number) {
  const { devAddr, keys, version } = session;
  const cipher = { devAddr, fCnt, direction: 'down' } as const;
  const isMac = frame.fPort === 0;
  const clear = cryptFRMPayload(isOfNetwork(frame.fPort) ? keys.nwkSEncKey : keys.appSKey, cipher, frame.frmPayload);
  if (isMac) return { data: new Uint8Array(), commandBytes: clear };
  const usesAFCntDown = counterOf(session, frame) === 'aFCntDown';
  const fOpts =
    version === '1.1' ? cryptFOpts(keys.nwkSEncKey, { ...cipher, usesAFCntDown }, frame.fOpts) : frame.fOpts;
  return { data: clear, commandBytes: fOpts };
}
