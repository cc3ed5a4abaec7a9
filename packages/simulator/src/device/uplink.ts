import type { DataFrame, MacCommand } from '@hilltop/lorawan';
import { cryptFOpts, cryptFRMPayload, dataMic, encodeFrame, encodeMacCommands, relayFPort } from '@hilltop/lorawan';
import type { DeviceSession } from './session.ts';

/** The content to send. Without `fPort` the frame has no payload. */
export interface UplinkMessage {
  fPort?: number;
  data?: Uint8Array;
  confirmed?: boolean;
  /** Requests any downlink, like a device that has received none for long. */
  adrAckReq?: boolean;
}

const fOptsRoom = 15;

/** The PHYPayload of the next uplink of the session. Commands that do not fit into FOpts are omitted. */
export function buildUplink(
  session: DeviceSession,
  message: UplinkMessage,
  header: { adr: boolean; classB: boolean; channel: number; commands: readonly MacCommand[] },
): Uint8Array {
  const { devAddr, keys, version, fCntUp: fCnt } = session;
  const { fPort = null, data = new Uint8Array(), confirmed = false, adrAckReq = false } = message;
  const acknowledged = session.toAcknowledge;
  session.toAcknowledge = null;
  const cipher = { devAddr, fCnt, direction: 'up' } as const;
  const frame: DataFrame = {
    mType: confirmed ? 'ConfirmedDataUp' : 'UnconfirmedDataUp',
    major: 0,
    devAddr,
    fCtrl: { adr: header.adr, adrAckReq, ack: acknowledged !== null, fPending: false, classB: header.classB },
    fCnt: fCnt % 0x10000,
    fOpts: fPort === 0 ? new Uint8Array() : fittingCommands(header.commands),
    fPort,
    frmPayload:
      fPort === null
        ? new Uint8Array()
        : cryptFRMPayload(isOfNetwork(fPort) ? keys.nwkSEncKey : keys.appSKey, cipher, data),
    mic: new Uint8Array(4),
  };
  if (version === '1.1') frame.fOpts = cryptFOpts(keys.nwkSEncKey, { ...cipher, usesAFCntDown: false }, frame.fOpts);
  frame.mic = dataMic(encodeFrame(frame).subarray(0, -4), {
    version,
    fNwkSIntKey: keys.fNwkSIntKey,
    sNwkSIntKey: keys.sNwkSIntKey,
    fCnt,
    confFCnt: acknowledged ?? 0,
    txDr: session.radio.dataRate,
    txCh: header.channel,
  });
  return encodeFrame(frame);
}

/** Whether the port is for MAC commands or for frames that a relay forwards. */
export const isOfNetwork = (fPort: number | null) => fPort === 0 || fPort === relayFPort;

function fittingCommands(commands: readonly MacCommand[]): Uint8Array {
  let fitting = new Uint8Array();
  for (let count = 1; count <= commands.length; count++) {
    const bytes = encodeMacCommands('up', commands.slice(0, count));
    if (bytes.length > fOptsRoom) break;
    fitting = new Uint8Array(bytes);
  }
  return fitting;
}
