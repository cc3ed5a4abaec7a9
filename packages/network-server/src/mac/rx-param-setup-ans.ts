import { countRefusal, macRule } from './rule.ts';

/** LoRaWAN 1.0.4 §5.4: the device repeats this answer until it receives a downlink, so one must be sent. */
export const rxParamSetupAns = macRule<'RXParamSetupAns', 'RXParamSetupReq'>({
  receives: 'RXParamSetupAns',
  answers: 'RXParamSetupReq',
  handle([first], { session }, [request]) {
    if (!first || !request) return { mustSend: true };
    const { channelAck, rx2DataRateAck, rx1DROffsetAck } = first.payload;
    if (channelAck && rx2DataRateAck && rx1DROffsetAck) {
      session.rx2Frequency = request.payload.frequency;
      session.rx2DataRate = request.payload.dlSettings.rx2DataRate;
      session.rx1DROffset = request.payload.dlSettings.rx1DROffset;
      delete session.macErrors[request.cid];
    } else countRefusal(session, request.cid);
    return { mustSend: true };
  },
});
