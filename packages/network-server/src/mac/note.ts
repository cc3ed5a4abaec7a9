import { type MacCommand, macCommandToJson } from '@hilltop/lorawan';
import type { MacCommandNote } from '../ports/application-server.ts';
import type { DeviceSession } from '../state/session.ts';
import { requestsOf } from './handle.ts';

/** A frame on FPort 0 has room for more than anybody reads. */
const most = 32;

/** The commands of an uplink with the requests that they answer. Call it before they are handled. */
export function noteMacCommands(commands: readonly MacCommand[], session: DeviceSession): MacCommandNote[] {
  if (commands.length === 0) return [];
  return commands.slice(0, most).map((command) => {
    const pending = session.pendingRequests[command.cid];
    const request = pending === undefined ? undefined : requestsOf(pending).at(-1);
    const asked = request && macCommandToJson(request).payload;
    const { dr: dataRate, txPowerIndex: txPower, nbTrans: nbRep } = session;
    return {
      ...noteOf(command),
      ...(asked && { request: asked }),
      ...(asked && command.name === 'LinkADRAns' && { before: { dataRate, txPower, nbRep } }),
    };
  });
}

/** The commands of a downlink. */
export const noteSentCommands = (commands: readonly MacCommand[]): MacCommandNote[] =>
  commands.slice(0, most).map(noteOf);

function noteOf(command: MacCommand): MacCommandNote {
  const { payload } = macCommandToJson(command);
  return { name: command.name, ...(payload && { payload }) };
}
