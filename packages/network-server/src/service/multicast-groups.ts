import { windowProblem } from '@hilltop/lorawan';
import { type ns, RpcError } from '@hilltop/protobuf';
import type { Network } from '../network/network.ts';
import { randomUUID } from '../platform/random-uuid.ts';
import type { MulticastGroupRecord } from '../state/records.ts';
import type { Write } from '../state/state.ts';
import { notFound, required, toDevEUI, toHex, toUUID } from './identifiers.ts';
import { storedRecords, timesOf } from './stored.ts';

type Methods =
  | `${'create' | 'get' | 'update' | 'delete'}MulticastGroup`
  | 'addDeviceToMulticastGroup'
  | 'removeDeviceFromMulticastGroup';

const toGroupID = (bytes: Uint8Array) => toUUID(bytes, 'multicast-group');

/** Multicast-groups and the devices in them. */
export function multicastGroupMethods(network: Network): Pick<ns.NetworkServerService, Methods> {
  const { state, clock } = network;
  const groups = storedRecords(network, 'multicastGroup', 'multicast-group');
  const commit = (writes: Write[]) => state.commit({ writes, effects: [] });

  return {
    async createMulticastGroup(request) {
      const group = required(request.multicastGroup, 'multicast-group');
      const groupID = group.id.length === 0 ? randomUUID(network.random).toHex() : toGroupID(group.id);
      if (await state.get('multicastGroup', groupID)) {
        throw new RpcError('AlreadyExists', 'This multicast-group exists already.');
      }
      const now = clock.now().getTime();
      const value = { ...(await contentOf(network, group)), createdAt: now, updatedAt: now };
      await commit([
        { kind: 'saveRecord', of: 'multicastGroup', id: groupID, value },
        { kind: 'setMulticastFCnt', groupID, fCnt: group.fCnt },
      ]);
      return { id: Uint8Array.fromHex(groupID) };
    },
    async getMulticastGroup({ id }) {
      const groupID = toGroupID(id);
      const { createdAt, updatedAt, groupType, dr, frequency, pingSlotPeriod, ...group } = await groups.find(groupID);
      return {
        multicastGroup: {
          id,
          mcAddr: Uint8Array.fromHex(group.mcAddr),
          mcNwkSKey: Uint8Array.fromHex(group.mcNwkSKey),
          fCnt: (await state.multicastFCnt(groupID)) ?? 0,
          groupType,
          dr,
          frequency,
          pingSlotPeriod,
          serviceProfileId: Uint8Array.fromHex(group.serviceProfileID),
          routingProfileId: Uint8Array.fromHex(group.routingProfileID),
        },
        ...timesOf({ createdAt, updatedAt }),
      };
    },
    async updateMulticastGroup(request) {
      const group = required(request.multicastGroup, 'multicast-group');
      const groupID = toGroupID(group.id);
      const before = await groups.find(groupID);
      const content = await contentOf(network, group);
      const spent = before.mcAddr === content.mcAddr && before.mcNwkSKey === content.mcNwkSKey;
      const next = (await state.multicastFCnt(groupID)) ?? 0;
      const value = { ...content, createdAt: before.createdAt, updatedAt: clock.now().getTime() };
      await commit([
        { kind: 'saveRecord', of: 'multicastGroup', id: groupID, value },
        // A counter that was used with these keys is never used again.
        { kind: 'setMulticastFCnt', groupID, fCnt: spent ? Math.max(next, group.fCnt) : group.fCnt },
        ...(isHeardOtherwise(before, content) ? [{ kind: 'flushMulticastQueue', groupID } as const] : []),
      ]);
      return {};
    },
    async deleteMulticastGroup({ id }) {
      await groups.remove(toGroupID(id));
      return {};
    },
    async addDeviceToMulticastGroup({ devEui, multicastGroupId }) {
      const [devEUI, groupID] = [toDevEUI(devEui), toGroupID(multicastGroupId)];
      const group = await groups.find(groupID);
      const device = await state.get('device', devEUI);
      if (!device) throw notFound('device');
      if (device.serviceProfileID !== group.serviceProfileID) {
        throw new RpcError('FailedPrecondition', 'The device has another service-profile than the multicast-group.');
      }
      await commit([{ kind: 'addMulticastMember', groupID, devEUI }]);
      return {};
    },
    async removeDeviceFromMulticastGroup({ devEui, multicastGroupId }) {
      const [devEUI, groupID] = [toDevEUI(devEui), toGroupID(multicastGroupId)];
      await groups.find(groupID);
      await commit([{ kind: 'removeMulticastMember', groupID, devEUI }]);
      return {};
    },
  };
}

type Content = Omit<MulticastGroupRecord, 'createdAt' | 'updatedAt'>;

/** The record for a request, whose profiles must exist. */
async function contentOf(network: Network, group: ns.MulticastGroup): Promise<Content> {
  const { state } = network;
  const serviceProfileID = toUUID(group.serviceProfileId, 'service-profile');
  const routingProfileID = toUUID(group.routingProfileId, 'routing-profile');
  if (!(await state.get('serviceProfile', serviceProfileID))) throw notFound('service-profile');
  if (!(await state.get('routingProfile', routingProfileID))) throw notFound('routing-profile');
  const { groupType, dr, frequency, pingSlotPeriod } = group;
  const mcAddr = toHex(group.mcAddr, 4, 'multicast address');
  const mcNwkSKey = toHex(group.mcNwkSKey, 16, 'multicast network session key');
  refuseImpossibleRadio(network, group);
  return { mcAddr, mcNwkSKey, groupType, dr, frequency, pingSlotPeriod, serviceProfileID, routingProfileID };
}

/** Devices cannot decrypt an item for other keys, and none listens in a slot of other settings. */
function isHeardOtherwise(before: Content, after: Content): boolean {
  const names = ['mcAddr', 'mcNwkSKey', 'groupType', 'pingSlotPeriod'] as const;
  return names.some((name) => before[name] !== after[name]);
}

const pingSlotPeriods = [32, 64, 128, 256, 512, 1024, 2048, 4096];

function refuseImpossibleRadio({ region }: Network, group: ns.MulticastGroup): void {
  const { groupType, dr, pingSlotPeriod } = group;
  const isClassB = groupType === 'CLASS_B';
  const frequency = isClassB && group.frequency === 0 ? region.rx2.frequency : group.frequency;
  const problem = windowProblem(region, { frequency, dataRate: dr });
  if (problem === 'dataRate') throw invalid(`Data-rate ${dr} is not one of ${region.name} for downlinks.`);
  if (problem === 'frequency') {
    const [from, to] = region.frequencyRange;
    throw invalid(`The frequency ${frequency} Hz is outside of ${region.name}, from ${from} to ${to} Hz.`);
  }
  if (isClassB && !pingSlotPeriods.includes(pingSlotPeriod)) {
    throw invalid(`A ping-slot period is one of ${pingSlotPeriods.join(', ')}.`);
  }
}

function invalid(sentence: string): RpcError {
  return new RpcError('InvalidArgument', sentence);
}
