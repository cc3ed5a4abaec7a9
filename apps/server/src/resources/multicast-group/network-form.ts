import type { MulticastGroup } from '@hilltop/contract';
import type { ns } from '@hilltop/protobuf';
import { uuidBytes } from '../../identifiers.ts';

/** A group as network servers store it: everything except its name, its application and the application key. */
export function toNetworkForm(
  group: MulticastGroup,
  { id, serviceProfileID, routingProfileID }: { id: string; serviceProfileID: string; routingProfileID: Uint8Array },
): ns.MulticastGroup {
  return {
    id: uuidBytes(id),
    mcAddr: Uint8Array.fromHex(group.mcAddr),
    mcNwkSKey: Uint8Array.fromHex(group.mcNwkSKey),
    fCnt: group.fCnt,
    groupType: group.groupType,
    dr: group.dr,
    frequency: group.frequency,
    pingSlotPeriod: group.pingSlotPeriod,
    serviceProfileId: uuidBytes(serviceProfileID),
    routingProfileId: routingProfileID,
  };
}

/** The reverse of `toNetworkForm`. */
export function fromNetworkForm(
  group: ns.MulticastGroup,
): Omit<MulticastGroup, 'id' | 'name' | 'applicationID' | 'mcAppSKey'> {
  return {
    mcAddr: group.mcAddr.toHex(),
    mcNwkSKey: group.mcNwkSKey.toHex(),
    fCnt: group.fCnt,
    groupType: group.groupType,
    dr: group.dr,
    frequency: group.frequency,
    pingSlotPeriod: group.pingSlotPeriod,
  };
}
