import { macRule } from './rule.ts';

/** LoRaWAN 1.0.4 §5.7: the device repeats this answer until it receives a downlink, so one must be sent. */
export const rxTimingSetupAns = macRule<'RXTimingSetupAns', 'RXTimingSetupReq'>({
  receives: 'RXTimingSetupAns',
  answers: 'RXTimingSetupReq',
  handle(_block, { session }, [request]) {
    if (request) session.rxDelay = request.payload.delay;
    return { mustSend: true };
  },
});
