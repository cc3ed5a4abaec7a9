import { hash } from 'node:crypto';
import type { DeviceSession, KeyEnvelope, Receiver } from '@hilltop/network-server';
import type { MessageOf } from '@hilltop/protobuf';
import { BrokenRow, counterRange } from '../source/read-row.ts';
import type { ReceiversMessage, SessionMessage } from '../source/session-message.ts';

/** What a session of version 3 does not contain. */
export interface SessionSurroundings {
  devEUI: string;
  role: DeviceSession['role'];
  mode: DeviceSession['mode'];
  origin: DeviceSession['origin'];
  macVersion: string;
  activatedAt: number;
  lastUplinkAt: number | null;
  receivers: Receiver[];
  appSKey: KeyEnvelope | null;
  downlinkMargin: number;
}

const keyLength = 16;
const nanosecondsPerMs = 1_000_000n;

/**
 * The session of a device, for the embedded network server to continue. Uplink counters are exact. Downlink counters
 * are a little higher, because version 3 may not have counted a frame in flight.
 */
export function sessionOf(given: SessionMessage, beside: SessionSurroundings): DeviceSession {
  const { downlinkMargin, appSKey, ...known } = beside;
  const { fNwkSIntKey, sNwkSIntKey, nwkSEncKey } = given;
  const [nFCntDown, aFCntDown] = [given.nFCntDown + downlinkMargin, given.aFCntDown + downlinkMargin];
  refuseUnusable(given, Math.max(nFCntDown, aFCntDown));
  return {
    id: sessionIDOf(beside.devEUI, given),
    revision: 0,
    ...known,
    joinEUI: given.joinEUI.length === 8 ? given.joinEUI.toHex() : '0000000000000000',
    devAddr: given.devAddr.toHex(),
    macVersion: given.macVersion || beside.macVersion,
    keys: {
      fNwkSIntKey: new Uint8Array(fNwkSIntKey),
      sNwkSIntKey: new Uint8Array(sNwkSIntKey),
      nwkSEncKey: new Uint8Array(nwkSEncKey),
      appSKey,
    },
    fCntUp: given.fCntUp,
    missed: [],
    nFCntDown,
    aFCntDown,
    confFCnt: given.confFCnt,
    formerConfFCnt: 0,
    spent: {},
    itemsPassedOver: 0,
    repeats: 0,
    rxDelay: given.rxDelay,
    rx1DROffset: given.rx1DROffset,
    rx2DataRate: given.rx2DR,
    rx2Frequency: given.rx2Frequency,
    adr: given.adr,
    dr: given.dr,
    txPowerIndex: given.txPowerIndex,
    lowestTxPowerIndex: given.minSupportedTXPowerIndex,
    highestTxPowerIndex: given.maxSupportedTXPowerIndex || null,
    nbTrans: given.nbTrans || 1,
    enabledChannels: given.enabledUplinkChannels.toSorted((one, other) => one - other),
    extraChannels: extraChannelsOf(given),
    formerChannels: [],
    uplinkDwellTime400ms: given.uplinkDwellTime400ms,
    downlinkDwellTime400ms: given.downlinkDwellTime400ms,
    maxEIRPIndex: given.uplinkMaxEIRPIndex,
    uplinkHistory: given.uplinkADRHistory.slice(-20).map((entry) => ({
      fCnt: entry.fCnt,
      maxSNR: entry.maxSNR,
      maxRSSI: entry.maxRSSI,
      txPowerIndex: entry.txPowerIndex,
      gatewayCount: entry.gatewayCount,
    })),
    macErrors: { ...given.macCommandErrorCount },
    pendingRequests: {},
    lastDevStatusRequestedAt: statusRequestedAt(given),
    lastNewChannelRequestedAt: null,
    isTxPowerDoubtful: false,
    adrAckReqSince: null,
    lastDownlinkAt: null,
    beaconLocked: given.beaconLocked,
    pingSlotNb: given.pingSlotNb,
    pingSlotDR: given.pingSlotDR,
    pingSlotFrequency: given.pingSlotFrequency,
    beaconFrequency: 0,
    rejoinCount0: given.rejoinCount0,
    rejoinParams: given.rejoinRequestEnabled
      ? { maxTimeN: given.rejoinRequestMaxTimeN, maxCountN: given.rejoinRequestMaxCountN }
      : null,
  };
}

function refuseUnusable(given: SessionMessage, highestFCntDown: number): void {
  for (const key of [given.fNwkSIntKey, given.sNwkSIntKey, given.nwkSEncKey])
    if (key.length !== keyLength)
      throw new BrokenRow('the session in Redis has no keys of 16 bytes: the device must join again');
  if (given.devAddr.length !== 4)
    throw new BrokenRow('the session in Redis has no DevAddr: the device must join again');
  if (highestFCntDown > counterRange[1])
    throw new BrokenRow('its downlink counter has reached its maximum: the device must join again');
}

function extraChannelsOf({ extraUplinkChannels }: SessionMessage): DeviceSession['extraChannels'] {
  const channels = extraUplinkChannels.map(({ index, channel }) => ({
    index,
    frequency: channel?.frequency ?? 0,
    minDR: channel?.minDR ?? 0,
    maxDR: channel?.maxDR ?? 0,
  }));
  return channels.toSorted((one, other) => one.index - other.index);
}

/** Each pass derives the same id; after a join it is another one. */
export function sessionIDOf(devEUI: string, { devAddr, fNwkSIntKey }: SessionMessage): string {
  const known = Buffer.from(`v3/${devEUI}/${devAddr.toHex()}/`);
  return hash('sha256', Buffer.concat([known, fNwkSIntKey])).slice(0, 32);
}

/** A time before 1970 means never. */
function statusRequestedAt({ lastDevStatusRequestTimeUnixNs }: SessionMessage): number | null {
  const ms = Number(BigInt(lastDevStatusRequestTimeUnixNs) / nanosecondsPerMs);
  return ms > 0 ? ms : null;
}

/** The imported gateways that received the last uplink. */
export function receiversOf(
  given: MessageOf<typeof ReceiversMessage>,
  isImported: (gatewayID: string) => boolean,
): Receiver[] {
  const receivers = given.items.map((item) => ({
    gatewayID: item.gatewayID.toHex(),
    snr: item.loraSNR,
    rssi: item.rssi,
    context: item.context.toHex(),
    board: item.board,
    antenna: item.antenna,
  }));
  return receivers.filter(({ gatewayID }) => isImported(gatewayID));
}
