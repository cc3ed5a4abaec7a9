/** A rejoin-request of a 1.1 device: new keys within its session, checked by the counter RJcount0. */
import { equalBytes, isUplinkFrequency, type RejoinRequestFrame, rejoinRequestMic } from '@hilltop/lorawan';
import { joinAcceptTransmission } from '../downlink/join-accept.ts';
import type { Network } from '../network/network.ts';
import type { JoinRequest } from '../ports/join-server.ts';
import type { Uplink } from '../radio/uplink.ts';
import { knownChannels } from '../session/known-channels.ts';
import { versionOf } from '../session/session-version.ts';
import type { DeviceSession } from '../state/session.ts';
import { type Decision, decisionOf } from './decision.ts';
import { deviceFrameOf } from './device-frame.ts';
import { offerFor } from './join.ts';
import { sessionOfJoin } from './new-session.ts';
import { allowedReceptions } from './private-gateways.ts';
import { reportJoin } from './report-join.ts';

const lastCount = 0xffff;

/** LoRaWAN 1.1 §6.2.4: types 0 (new radio parameters) and 2 (unchanged ones); type 1 is not supported. */
export async function decideRejoin(network: Network, received: Uplink, frame: RejoinRequestFrame): Promise<Decision> {
  const { devEUI, rejoinType, rjCount } = frame;
  if (frame.rejoinType === 1) return decisionOf({ dropped: 'rejoin-not-supported', devEUI });
  if (frame.netID !== network.netID) return decisionOf({ dropped: 'wrong-network', devEUI });
  const device = await network.state.get('device', devEUI);
  const { current } = await network.state.sessions(devEUI);
  if (!device || !current || versionOf(current) !== '1.1') return decisionOf({ dropped: 'no-session', devEUI });
  if (device.isDisabled) return decisionOf({ dropped: 'device-disabled', devEUI });
  if (!isUplinkFrequency(network.region, received.txInfo.frequency, knownChannels(current))) {
    return decisionOf({ dropped: 'unknown-channel', devEUI });
  }
  const mic = rejoinRequestMic(current.keys.sNwkSIntKey, received.phyPayload.subarray(0, -4));
  if (!equalBytes(mic, frame.mic)) return decisionOf({ dropped: 'wrong-mic', devEUI });
  if (rjCount < current.rejoinCount0 || rjCount === lastCount)
    return decisionOf({ dropped: 'counter-too-low', devEUI });
  const deviceProfile = await network.state.get('deviceProfile', device.deviceProfileID);
  if (!deviceProfile) return decisionOf({ dropped: 'profile-missing', devEUI });
  const receptions = await allowedReceptions(network, received.receptions, device.serviceProfileID);
  if (receptions.length === 0) return decisionOf({ dropped: 'private-gateways', devEUI });
  const uplink = { ...received, receptions };

  const { joinEUI } = current;
  const offer = offerFor(network, deviceProfile);
  const unchanged = rejoinType === 2 ? unchangedRadio(current) : null;
  const request: JoinRequest = {
    joinType: rejoinType === 2 ? 'rejoin2' : 'rejoin0',
    phyPayload: uplink.phyPayload,
    devEUI,
    joinEUI,
    devNonce: rjCount,
    ...offer,
    ...(unchanged && {
      dlSettings: { optNeg: true, rx1DROffset: unchanged.rx1DROffset, rx2DataRate: unchanged.rx2DataRate },
      rxDelay: unchanged.rxDelay,
      cFList: null,
    }),
  };
  const answer = await network.joinServer.join(request);
  if (answer.result !== 'Success') return decisionOf({ dropped: 'join-refused', devEUI });

  const { devAddr } = request;
  const { phyPayload, clear } = answer;
  const { regParamsRevision } = deviceProfile;
  const made = sessionOfJoin(network, uplink, { request, deviceProfile, answer, current });
  const session = { ...made, ...unchanged };
  const reported = await reportJoin(network, session, uplink, device);
  return {
    dropped: null,
    devEUI,
    writes: [
      { kind: 'saveSession', session: { ...current, rejoinCount0: rjCount + 1 } },
      { kind: 'insertSession', session },
    ],
    effects: [...answer.effects, ...reported],
    deviceFrame: deviceFrameOf(network, uplink, devEUI, ''),
    response: null,
    joinAccept: () =>
      joinAcceptTransmission(network, uplink, { devEUI, devAddr, phyPayload, clear, regParamsRevision }),
  };
}

/** The parameters that a rejoin of type 2 does not change. */
function unchangedRadio({
  rxDelay,
  rx1DROffset,
  rx2DataRate,
  rx2Frequency,
  enabledChannels,
  extraChannels,
  formerChannels,
  nbTrans,
  txPowerIndex,
}: DeviceSession) {
  return {
    rxDelay,
    rx1DROffset,
    rx2DataRate,
    rx2Frequency,
    enabledChannels,
    extraChannels,
    formerChannels,
    nbTrans,
    txPowerIndex,
  };
}
