import { countRefusal, macRule } from './rule.ts';

/** LoRaWAN 1.0.4 §14.3. */
export const pingSlotChannelAns = macRule<'PingSlotChannelAns', 'PingSlotChannelReq'>({
  receives: 'PingSlotChannelAns',
  answers: 'PingSlotChannelReq',
  handle([first], { session }, [request]) {
    if (!first || !request) return {};
    if (first.payload.channelFrequencyOK && first.payload.dataRateOK) {
      session.pingSlotFrequency = request.payload.frequency;
      session.pingSlotDR = request.payload.dr;
      delete session.macErrors[request.cid];
    } else countRefusal(session, request.cid);
    return {};
  },
});
