import { channelsAfterJoin, rx2Defaults } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import type { JoinAnswer, JoinRequest } from '../ports/join-server.ts';
import type { Uplink } from '../radio/uplink.ts';
import { pingSlots } from '../session/boot-radio.ts';
import { versionOf } from '../session/session-version.ts';
import type { DeviceProfileRecord } from '../state/records.ts';
import type { DeviceSession } from '../state/session.ts';

/**
 * The session that begins with a join-accept. `current` is the session that it will replace when the device uses it.
 */
export function sessionOfJoin(
  network: Network,
  uplink: Uplink,
  joined: {
    /** The parameters in the join-accept, even if the settings have changed since. */
    request: JoinRequest;
    deviceProfile: DeviceProfileRecord;
    answer: JoinAnswer & { result: 'Success' };
    current: object | null;
  },
): DeviceSession {
  const { request, deviceProfile, answer, current } = joined;
  const { devEUI, joinEUI, devAddr, dlSettings, rxDelay, cFList } = request;
  const { macVersion } = deviceProfile;
  const { fNwkSIntKey, sNwkSIntKey, nwkSEncKey, appSKey } = answer;
  const isClassC = deviceProfile.supportsClassC && versionOf({ macVersion }) === '1.0';
  return {
    id: network.random(16).toHex(),
    revision: 0,
    role: current ? 'pending' : 'current',
    origin: 'OTAA',
    devEUI,
    joinEUI,
    devAddr,
    macVersion,
    activatedAt: network.clock.now().getTime(),
    keys: { fNwkSIntKey, sNwkSIntKey, nwkSEncKey, appSKey },
    ...freshCounters(),
    rxDelay,
    rx1DROffset: dlSettings.rx1DROffset,
    rx2DataRate: dlSettings.rx2DataRate,
    rx2Frequency: rx2Defaults(network.region).frequency,
    adr: false,
    dr: uplink.dr,
    txPowerIndex: 0,
    lowestTxPowerIndex: 0,
    highestTxPowerIndex: null,
    nbTrans: 1,
    ...channelsAfterJoin(network.region, cFList),
    uplinkDwellTime400ms: false,
    downlinkDwellTime400ms: false,
    maxEIRPIndex: 0,
    ...emptyHistory(),
    mode: isClassC ? 'C' : 'A',
    ...pingSlots(deviceProfile),
  };
}

/** The counters of a new session. */
export function freshCounters() {
  return {
    fCntUp: 0,
    missed: [],
    nFCntDown: 0,
    aFCntDown: 0,
    confFCnt: 0,
    formerConfFCnt: 0,
    spent: {},
    rejoinCount0: 0,
  };
}

/** The fields of a session that uplinks fill. */
export function emptyHistory() {
  return {
    formerChannels: [],
    uplinkHistory: [],
    itemsPassedOver: 0,
    repeats: 0,
    macErrors: {},
    pendingRequests: {},
    lastDevStatusRequestedAt: null,
    lastNewChannelRequestedAt: null,
    isTxPowerDoubtful: false,
    adrAckReqSince: null,
    lastUplinkAt: null,
    lastDownlinkAt: null,
    beaconLocked: false,
    rejoinParams: null,
    receivers: [],
  };
}
