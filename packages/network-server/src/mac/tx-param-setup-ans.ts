import { macRule } from './rule.ts';

/** LoRaWAN 1.0.4 §5.8: dwell time limits and maximum power that the device accepted. */
export const txParamSetupAns = macRule<'TXParamSetupAns', 'TXParamSetupReq'>({
  receives: 'TXParamSetupAns',
  answers: 'TXParamSetupReq',
  handle(_block, { session }, [request]) {
    if (!request) return {};
    session.uplinkDwellTime400ms = request.payload.uplinkDwellTime === 1;
    session.downlinkDwellTime400ms = request.payload.downlinkDwellTime === 1;
    session.maxEIRPIndex = request.payload.maxEIRPCoded;
    return {};
  },
});
