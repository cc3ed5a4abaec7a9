import { cryptFOpts, cryptFRMPayload, type DataFrame, dataMic, encodeFrame } from '@hilltop/lorawan';
import { versionOf } from '../session/session-version.ts';
import type { DeviceSession } from '../state/session.ts';

/** The content of a data downlink. */
export interface DataDownlink {
  fCnt: number;
  isConfirmed: boolean;
  adr: boolean;
  ack: boolean;
  fPending: boolean;
  /** MAC commands in plain text, at most 15 bytes. */
  fOpts: Uint8Array;
  /** Application data (encrypted already), MAC commands in plain text on FPort 0, or null. */
  content: { fPort: number; frmPayload: Uint8Array } | null;
}

const noMic = new Uint8Array(4);

/**
 * The frame to transmit, and the same with its MAC commands in plain text. Order: FRMPayload, FOpts, MIC (LoRaWAN 1.1
 * §4.3).
 */
export function sealDataDownlink(
  session: DeviceSession,
  downlink: DataDownlink,
): { phyPayload: Uint8Array; clear: Uint8Array } {
  const version = versionOf(session);
  const { fNwkSIntKey, sNwkSIntKey, nwkSEncKey } = session.keys;
  const { devAddr } = session;
  const { fCnt, adr, ack, fPending, fOpts, content } = downlink;
  const context = { devAddr, fCnt, direction: 'down' } as const;
  const clear: DataFrame = {
    mType: downlink.isConfirmed ? 'ConfirmedDataDown' : 'UnconfirmedDataDown',
    major: 0,
    devAddr,
    fCtrl: { adr, adrAckReq: false, ack, fPending, classB: false },
    fCnt: fCnt % 0x10000,
    fOpts,
    fPort: content?.fPort ?? null,
    frmPayload: content?.frmPayload ?? new Uint8Array(),
    mic: noMic,
  };
  const isCommands = content?.fPort === 0;
  const usesAFCntDown = (content?.fPort ?? 0) > 0;
  const sealed = encodeFrame({
    ...clear,
    frmPayload: isCommands ? cryptFRMPayload(nwkSEncKey, context, clear.frmPayload) : clear.frmPayload,
    fOpts: version === '1.1' ? cryptFOpts(nwkSEncKey, { ...context, usesAFCntDown }, fOpts) : fOpts,
  });
  const confFCnt = Math.max(session.fCntUp - 1, 0);
  const mic = dataMic(sealed.subarray(0, -4), { version, fNwkSIntKey, sNwkSIntKey, fCnt, confFCnt });
  sealed.set(mic, sealed.length - 4);
  return { phyPayload: sealed, clear: isCommands || version === '1.1' ? encodeFrame({ ...clear, mic }) : sealed };
}
