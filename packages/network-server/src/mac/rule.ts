import type { KnownMacCommand, MacCommand, MacCommandName, MacCommandOf } from '@hilltop/lorawan';
import type { as } from '@hilltop/protobuf';
import type { DeviceContext } from '../network/device-context.ts';
import type { Uplink } from '../radio/uplink.ts';
import type { DeviceSession } from '../state/session.ts';

export interface ReceivedContext extends DeviceContext {
  uplink: Uplink;
}

/** The result of handling a received block, in addition to changes of the session. */
export interface MacReaction {
  /** To be sent back. */
  answers?: MacCommand[];
  /** The device waits for any downlink at all. */
  mustSend?: boolean;
  status?: Omit<as.SetDeviceStatusRequest, 'devEui'>;
}

/**
 * How the network handles a command of the device, or its answer to a request; one file each. A block is all
 * consecutive commands with one CID.
 */
export interface MacRule<Received extends MacCommandName, Request extends MacCommandName = never> {
  receives: Received;
  /** The request that this answers; an answer without a request is not handled. */
  answers?: Request;
  handle(block: MacCommandOf<Received>[], context: ReceivedContext, requests: MacCommandOf<Request>[]): MacReaction;
}

/** A rule in the registry; `macRule` has checked its types. */
export interface AnyMacRule {
  receives: MacCommandName;
  answers?: MacCommandName;
  handle(block: KnownMacCommand[], context: ReceivedContext, requests: KnownMacCommand[]): MacReaction;
}

/** Checks the types of a rule and converts it for the registry. */
export function macRule<Received extends MacCommandName, Request extends MacCommandName = never>(
  rule: MacRule<Received, Request>,
): AnyMacRule {
  return rule as unknown as AnyMacRule;
}

/** Counts a refusal of a request. */
export function countRefusal(session: DeviceSession, cid: number): void {
  session.macErrors[cid] = (session.macErrors[cid] ?? 0) + 1;
}
