import type { KnownMacCommand } from '@hilltop/lorawan';
import type { DeviceContext } from '../network/device-context.ts';
import { beaconFreqReqs } from './beacon-freq-req.ts';
import { devStatusReqs } from './dev-status-req.ts';
import { linkADRReqs } from './link-adr-req.ts';
import { newChannelReqs } from './new-channel-req.ts';
import { pingSlotChannelReqs } from './ping-slot-channel-req.ts';
import { rejoinParamSetupReqs } from './rejoin-param-setup-req.ts';
import { rxParamSetupReqs } from './rx-param-setup-req.ts';
import { rxTimingSetupReqs } from './rx-timing-setup-req.ts';
import { txParamSetupReqs } from './tx-param-setup-req.ts';

/** The requests of the network, in the order in which it sends them. */
export const requestBuilders: readonly ((context: DeviceContext) => KnownMacCommand[])[] = [
  newChannelReqs,
  linkADRReqs,
  devStatusReqs,
  rejoinParamSetupReqs,
  pingSlotChannelReqs,
  beaconFreqReqs,
  rxParamSetupReqs,
  rxTimingSetupReqs,
  txParamSetupReqs,
];

/**
 * Blocks of commands (one CID each) that the network sends with its next response. A command that was refused too often
 * is left out. LinkADRReq waits while new channels are requested, because it refers to them.
 */
export function networkRequests(context: DeviceContext): KnownMacCommand[][] {
  const { network, session } = context;
  if (network.settings.disableMACCommands) return [];
  const blocks: KnownMacCommand[][] = [];
  for (const wish of requestBuilders) {
    if (wish === linkADRReqs && blocks.length > 0) continue;
    const block = wish(context);
    const cid = block[0]?.cid;
    if (cid === undefined) continue;
    if ((session.macErrors[cid] ?? 0) > network.settings.maxMACCommandErrorCount) continue;
    blocks.push(block);
  }
  return blocks;
}
