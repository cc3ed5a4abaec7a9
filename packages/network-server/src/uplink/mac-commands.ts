import {
  cryptFOpts,
  cryptFRMPayload,
  type DataFrame,
  decodeMacCommands,
  FrameError,
  type MacCommand,
} from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import { versionOf } from '../session/session-version.ts';
import type { DeviceSession } from '../state/session.ts';

/** The MAC part of an uplink in plain text; `frame` is the same frame with decrypted commands, for the frame log. */
export interface OpenedCommands {
  commands: MacCommand[];
  frame: DataFrame;
}

/** Decrypts and parses the commands of FOpts and of FPort 0; an invalid stream counts as empty. */
export function openMacCommands(
  network: Network,
  frame: DataFrame,
  session: DeviceSession,
  fCnt: number,
): OpenedCommands {
  const { devAddr, fPort } = frame;
  const { nwkSEncKey } = session.keys;
  const context = { devAddr, fCnt, direction: 'up', usesAFCntDown: false } as const;
  let { fOpts, frmPayload } = frame;
  if (fOpts.length > 0 && versionOf(session) === '1.1') fOpts = cryptFOpts(nwkSEncKey, context, fOpts);
  if (fPort === 0) frmPayload = cryptFRMPayload(nwkSEncKey, context, frmPayload);
  const stream = fPort === 0 ? frmPayload : fOpts;
  return { commands: decode(network, session, stream), frame: { ...frame, fOpts, frmPayload } };
}

function decode(network: Network, { devEUI }: DeviceSession, stream: Uint8Array): MacCommand[] {
  if (stream.length === 0) return [];
  try {
    return decodeMacCommands('up', stream);
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    network.count('mac_streams_broken');
    network.log.info({ devEUI, reason: error.message }, 'The MAC commands of an uplink are broken.');
    return [];
  }
}
