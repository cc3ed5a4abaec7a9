import type { MacCommand } from '@hilltop/lorawan';
import { responseTo } from '../downlink/class-a.ts';
import { handleMacCommands } from '../mac/handle.ts';
import { macRules } from '../mac/registry.ts';
import type { DeviceContext } from '../network/device-context.ts';
import type { Uplink } from '../radio/uplink.ts';
import type { Decision } from './decision.ts';
import { noteReceivers } from './radio-state.ts';

/** A device repeats a confirmed uplink within seconds; a later repetition may be a replay. */
const usualRepeatMs = 20_000;

/**
 * Decides about a repeated confirmed uplink: its device has not received the answer and listens once more (LoRaWAN
 * 1.0.4 §4.3.3). The application gets no event, but the device gets the acknowledgement and the answers to its requests
 * again.
 */
export function decideRepeat(
  context: DeviceContext,
  uplink: Uplink,
  commands: readonly MacCommand[],
  fCnt: number,
): Omit<Decision, 'deviceFrame'> {
  const { session } = context;
  const sinceLastMs = context.network.clock.now().getTime() - (session.lastUplinkAt ?? 0);
  session.repeats += 1;
  noteReceivers(context.network, session, uplink, fCnt);
  const { answers, mustSend } = handleMacCommands(commands.filter(isQuestion), { ...context, uplink });
  return {
    dropped: null,
    devEUI: session.devEUI,
    repeated: sinceLastMs <= usualRepeatMs ? 'within-20s' : 'later',
    writes: [{ kind: 'saveSession', session }],
    effects: [],
    joinAccept: null,
    response: responseTo(context, { uplink, isConfirmed: true, mustSend, answers }),
  };
}

/** Requests of the device are answered again; its answers to the network were handled the first time. */
function isQuestion({ name }: MacCommand): boolean {
  return name !== 'Proprietary' && name !== 'Unknown' && !macRules.get(name)?.answers;
}
