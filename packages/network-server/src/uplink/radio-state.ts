import { type DataFrame, defaultChannelIndexes } from '@hilltop/lorawan';
import type { DeviceContext } from '../network/device-context.ts';
import type { Network } from '../network/network.ts';
import type { Uplink } from '../radio/uplink.ts';
import { doubtChannels } from '../session/known-channels.ts';
import { receiversOf } from '../session/receivers.ts';
import { versionOf } from '../session/session-version.ts';
import type { DeviceProfileRecord } from '../state/records.ts';
import type { DeviceSession } from '../state/session.ts';

const historyLength = 20;
/** After this many unanswered uplinks with ADRACKReq a device returns to full power (LoRaWAN 1.0.4 §4.3.1.1). */
const adrAckDelay = 32;

/**
 * Stores the radio settings that a frame reveals: ADR, data rate, class B, and whether the device requires an answer.
 */
export function noteRadio(
  { network, session, deviceProfile }: DeviceContext,
  { dr }: Uplink,
  { fCtrl }: DataFrame,
  fCnt: number,
) {
  session.adr = fCtrl.adr;
  if (session.dr !== dr) {
    session.dr = dr;
    session.txPowerIndex = 0;
    session.uplinkHistory = [];
  }
  doubtTxPower(session, fCtrl.adrAckReq, fCnt);
  if (fCtrl.adrAckReq) {
    // The device may have fallen back to the channels of the region (LoRaWAN 1.0.4 §4.3.1.1): they are requested again.
    doubtChannels(session);
    session.enabledChannels = defaultChannelIndexes(network.region);
  }
  session.beaconLocked = deviceProfile.supportsClassB && fCtrl.classB;
  session.mode = modeOf(session, deviceProfile);
  return { mustSend: fCtrl.adrAckReq };
}

/** A device that required an answer for long enough without getting one may have returned to full power by itself. */
function doubtTxPower(session: DeviceSession, adrAckReq: boolean, fCnt: number): void {
  session.adrAckReqSince = adrAckReq ? (session.adrAckReqSince ?? session.fCntUp) : null;
  if (session.adrAckReqSince === null || session.txPowerIndex === 0) return;
  if (fCnt - session.adrAckReqSince < adrAckDelay) return;
  session.txPowerIndex = 0;
  session.isTxPowerDoubtful = true;
  session.uplinkHistory = [];
}

/** A 1.1 device reports class C by DeviceModeInd, an older one is in class C when its profile says so. */
function modeOf(session: DeviceSession, { supportsClassC }: DeviceProfileRecord): DeviceSession['mode'] {
  if (session.beaconLocked) return 'B';
  if (versionOf(session) === '1.0') return supportsClassC ? 'C' : 'A';
  return session.mode === 'C' ? 'C' : 'A';
}

/** Stores the gateways that received the device, for downlinks, and how well, for ADR. */
export function noteReceivers(network: Network, session: DeviceSession, { receptions }: Uplink, fCnt: number): void {
  session.lastUplinkAt = network.clock.now().getTime();
  session.receivers = receiversOf(receptions);
  if (session.uplinkHistory.at(-1)?.fCnt === fCnt) return;
  session.uplinkHistory.push({
    fCnt,
    maxSNR: Math.max(...receptions.map(({ rxInfo }) => rxInfo.loRaSNR)),
    maxRSSI: Math.max(...receptions.map(({ rxInfo }) => rxInfo.rssi)),
    txPowerIndex: session.txPowerIndex,
    gatewayCount: new Set(receptions.map(({ gatewayID }) => gatewayID)).size,
  });
  if (session.uplinkHistory.length > historyLength) session.uplinkHistory.shift();
}
