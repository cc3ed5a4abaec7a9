/** What the cases of the conformance suite write. */
import type { DeviceRecord, GatewayRecord, MulticastGroupRecord } from './records.ts';
import type { DeviceSession } from './session.ts';
import type { QueueItem, Write } from './state.ts';

export const devEUI = '0102030405060708';
export const nonce = { devEUI, joinEUI: '0807060504030201', joinType: 'join', devNonce: 1 } as const;

export function askDue(key: string, at: number): Write {
  return { kind: 'askDue', work: { kind: 'queue', key }, at };
}

export const gateway: GatewayRecord = {
  createdAt: 1,
  updatedAt: 2,
  location: { latitude: 52.5, longitude: -1.25, altitude: 3, source: 'CONFIG', accuracy: 0 },
  routingProfileID: '00112233445566778899aabbccddeeff',
  gatewayProfileID: '',
  serviceProfileID: '',
  boards: [{ fpgaID: '0101010101010101', fineTimestampKey: '000102030405060708090a0b0c0d0e0f' }],
};

export function buildDevice(change: Partial<DeviceRecord>): DeviceRecord {
  return {
    createdAt: 1,
    updatedAt: 1,
    deviceProfileID: '00112233445566778899aabbccddeeff',
    serviceProfileID: '00112233445566778899aabbccddeef0',
    routingProfileID: '00112233445566778899aabbccddeef1',
    skipFCntCheck: false,
    referenceAltitude: 1.5,
    isDisabled: false,
    ...change,
  };
}

export function saveDevice(change: Partial<DeviceRecord>) {
  return { kind: 'saveRecord', of: 'device', id: devEUI, value: buildDevice(change) } as const;
}

export function buildItem(change: Partial<QueueItem>): QueueItem {
  return {
    id: 'item',
    devEUI,
    fCnt: 0,
    fPort: 10,
    frmPayload: Uint8Array.of(1, 2, 3),
    confirmed: false,
    sessionID: 'a',
    isForNextSession: false,
    hasLeft: false,
    isPending: false,
    attempts: 0,
    timeoutAt: null,
    notBefore: null,
    pingSlotAt: null,
    ...change,
  };
}

export const multicastGroup: MulticastGroupRecord = {
  mcAddr: '01020304',
  mcNwkSKey: '0'.repeat(32),
  groupType: 'CLASS_C',
  dr: 3,
  frequency: 868_100_000,
  pingSlotPeriod: 0,
  serviceProfileID: '1',
  routingProfileID: '2',
  createdAt: 1,
  updatedAt: 2,
};

export function buildSession(change: Partial<DeviceSession>): DeviceSession {
  return {
    id: 'a',
    revision: 0,
    role: 'current',
    origin: 'OTAA',
    devEUI,
    joinEUI: '0807060504030201',
    devAddr: '01020304',
    macVersion: '1.0.3',
    activatedAt: 1,
    keys: {
      fNwkSIntKey: new Uint8Array(16).fill(1),
      sNwkSIntKey: new Uint8Array(16).fill(2),
      nwkSEncKey: new Uint8Array(16).fill(3),
      appSKey: { kekLabel: 'label', aesKey: new Uint8Array(24).fill(4) },
    },
    fCntUp: 0,
    missed: [3, 4],
    nFCntDown: 0,
    aFCntDown: 0,
    confFCnt: 0,
    formerConfFCnt: 0,
    spent: { nFCntDown: { fCnt: 6, digest: '00112233445566778899aabbccddeeff' } },
    itemsPassedOver: 1,
    repeats: 2,
    rxDelay: 1,
    rx1DROffset: 0,
    rx2DataRate: 0,
    rx2Frequency: 869525000,
    adr: true,
    dr: 5,
    txPowerIndex: 0,
    lowestTxPowerIndex: 0,
    highestTxPowerIndex: null,
    nbTrans: 1,
    enabledChannels: [0, 1, 2, 3],
    formerChannels: [{ index: 4, frequency: 867_300_000, minDR: 0, maxDR: 5 }],
    extraChannels: [{ index: 3, frequency: 867100000, minDR: 0, maxDR: 5 }],
    uplinkDwellTime400ms: false,
    downlinkDwellTime400ms: false,
    maxEIRPIndex: 0,
    uplinkHistory: [{ fCnt: 1, maxSNR: 7.5, maxRSSI: -100, txPowerIndex: 0, gatewayCount: 2 }],
    macErrors: { 3: 1 },
    pendingRequests: { 6: '06' },
    lastDevStatusRequestedAt: null,
    lastNewChannelRequestedAt: null,
    isTxPowerDoubtful: false,
    adrAckReqSince: null,
    lastUplinkAt: 5,
    lastDownlinkAt: null,
    mode: 'A',
    beaconLocked: false,
    pingSlotNb: 0,
    pingSlotDR: 0,
    pingSlotFrequency: 0,
    beaconFrequency: 0,
    rejoinCount0: 0,
    rejoinParams: null,
    receivers: [{ gatewayID: '0909090909090909', snr: 7.5, rssi: -60, context: '00010203', board: 0, antenna: 1 }],
    ...change,
  };
}
