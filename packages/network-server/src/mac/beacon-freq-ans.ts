import { countRefusal, macRule } from './rule.ts';

/** LoRaWAN 1.0.4 §14.4. */
export const beaconFreqAns = macRule<'BeaconFreqAns', 'BeaconFreqReq'>({
  receives: 'BeaconFreqAns',
  answers: 'BeaconFreqReq',
  handle([first], { session }, [request]) {
    if (!first || !request) return {};
    if (first.payload.beaconFrequencyOK) {
      session.beaconFrequency = request.payload.frequency;
      delete session.macErrors[request.cid];
    } else countRefusal(session, request.cid);
    return {};
  },
});
