import { macRule } from './rule.ts';

/** LoRaWAN 1.1 §5.13: the device always applied the count part, the time part when `timeOK`. */
export const rejoinParamSetupAns = macRule<'RejoinParamSetupAns', 'RejoinParamSetupReq'>({
  receives: 'RejoinParamSetupAns',
  answers: 'RejoinParamSetupReq',
  handle([first], { network, session }, [request]) {
    if (!first || !request) return {};
    session.rejoinParams = request.payload;
    if (!first.payload.timeOK) network.log.info({ devEUI: session.devEUI }, 'The device keeps no time for rejoins.');
    return {};
  },
});
