import type { DeviceSession, Records } from '@hilltop/network-server';
import { create, toBinary } from '@hilltop/protobuf';
import { sessionIDOf } from '../migrate/session.ts';
import { ReceiversMessage, SessionMessage } from '../source/session-message.ts';

const bytes = (hex: string) => Uint8Array.fromHex(hex);
const dashed = (uuid: string) => uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** Fields of a version-3 session that Hilltop sessions do not have. */
interface SessionSurroundings {
  device: Records['device'];
  /** The session that version 3 still stores; undefined if there is none. */
  there: SessionMessage | undefined;
}

/**
 * A session for version 3 to continue. Fields that Hilltop does not know stay as version 3 stored them while it is the
 * same session. Downlink counters are exact, because Hilltop commits a counter before it sends the frame.
 */
export function sessionMessageOf(
  session: DeviceSession,
  pending: DeviceSession | null,
  { device, there }: SessionSurroundings,
): Uint8Array {
  const isSame = there !== undefined && sessionIDOf(session.devEUI, there) === session.id;
  const { keys } = session;
  const message = create(SessionMessage, {
    ...(isSame ? there : {}),
    deviceProfileID: dashed(device.deviceProfileID),
    serviceProfileID: dashed(device.serviceProfileID),
    routingProfileID: dashed(device.routingProfileID),
    devAddr: bytes(session.devAddr),
    devEUI: bytes(session.devEUI),
    joinEUI: bytes(session.joinEUI),
    fNwkSIntKey: keys.fNwkSIntKey,
    sNwkSIntKey: keys.sNwkSIntKey,
    nwkSEncKey: keys.nwkSEncKey,
    fCntUp: session.fCntUp,
    nFCntDown: session.nFCntDown,
    aFCntDown: session.aFCntDown,
    confFCnt: session.confFCnt,
    skipFCntCheck: device.skipFCntCheck,
    isDisabled: device.isDisabled,
    referenceAltitude: device.referenceAltitude,
    rxDelay: session.rxDelay,
    rx1DROffset: session.rx1DROffset,
    rx2DR: session.rx2DataRate,
    rx2Frequency: session.rx2Frequency,
    adr: session.adr,
    dr: session.dr,
    nbTrans: session.nbTrans,
    txPowerIndex: session.txPowerIndex,
    minSupportedTXPowerIndex: session.lowestTxPowerIndex,
    maxSupportedTXPowerIndex: session.highestTxPowerIndex ?? 0,
    enabledUplinkChannels: session.enabledChannels,
    extraUplinkChannels: session.extraChannels.map(({ index, ...channel }) => ({ index, channel })),
    uplinkADRHistory: session.uplinkHistory,
    lastDevStatusRequestTimeUnixNs: String(BigInt(session.lastDevStatusRequestedAt ?? 0) * 1_000_000n),
    macVersion: session.macVersion,
    beaconLocked: session.beaconLocked,
    pingSlotNb: session.pingSlotNb,
    pingSlotDR: session.pingSlotDR,
    pingSlotFrequency: session.pingSlotFrequency,
    rejoinCount0: session.rejoinCount0,
    rejoinRequestEnabled: session.rejoinParams !== null,
    rejoinRequestMaxTimeN: session.rejoinParams?.maxTimeN ?? 0,
    rejoinRequestMaxCountN: session.rejoinParams?.maxCountN ?? 0,
    uplinkDwellTime400ms: session.uplinkDwellTime400ms,
    downlinkDwellTime400ms: session.downlinkDwellTime400ms,
    uplinkMaxEIRPIndex: session.maxEIRPIndex,
    macCommandErrorCount: session.macErrors,
    appSKeyEnvelope: keys.appSKey ?? undefined,
    pendingRejoinDeviceSession: pending
      ? sessionMessageOf(pending, null, { device, there: undefined })
      : new Uint8Array(),
  });
  return toBinary(SessionMessage, message);
}

export function receiversMessageOf({ devEUI, dr, receivers }: DeviceSession): Uint8Array {
  const items = receivers.map(({ gatewayID, snr, rssi, board, antenna, context }) => ({
    gatewayID: bytes(gatewayID),
    rssi,
    loraSNR: snr,
    board,
    antenna,
    context: bytes(context),
  }));
  return toBinary(ReceiversMessage, create(ReceiversMessage, { devEUI: bytes(devEUI), dr, items }));
}
