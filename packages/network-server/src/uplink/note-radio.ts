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
/** Uplinks with ADRACKReq after which a device without an answer goes back to full power (LoRaWAN 1.0.4 §4.3.1.1). */
const adrAckDelay = 32;

/** What a frame tells about how the device is set: ADR, data-rate, class B, and whether it longs for an answer. */
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
    // The device may have fallen back to its own channels (LoRaWAN 1.0.4 §4.3.1.1): tell it again.
    doubtChannels(session);
    session.enabledChannels = defaultChannelIndexes(network.region);
  }
  session.beaconLocked = deviceProfile.supportsClassB && fCtrl.classB;
  session.mode = modeOf(session, deviceProfile);
  return { mustSend: fCtrl.adrAckReq };
}

/** A device that asked for an answer in vain for long enough may have gone back to full power without saying so. */
function doubtTxPower(session: DeviceSession, adrAckReq: boolean, fCnt: number): void {
  session.adrAckReqSince = adrAckReq ? (session.adrAckReqSince ?? session.fCntUp) : null;
  if (session.adrAckReqSince === null || session.txPowerIndex === 0) return;
  if (fCnt - session.adrAckReqSince < adrAckDelay) return;
  session.txPowerIndex = 0;
  session.isTxPowerDoubtful = true;
  session.uplinkHistory = [];
}

/** A 1.1 device says by DeviceModeInd that it is in class C, an older one is when its profile says so. */
function modeOf(session: DeviceSession, { supportsClassC }: DeviceProfileRecord): DeviceSession['mode'] {
  if (session.beaconLocked) return 'B';
  if (versionOf(session) === '1.0') return supportsClassC ? 'C' : 'A';
  return session.mode === 'C' ? 'C' : 'A';
}

/** Who heard the device, for downlinks, and how well, for ADR. */
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
