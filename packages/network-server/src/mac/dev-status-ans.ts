import { isDevStatusDue } from './dev-status-req.ts';
import { macRule } from './rule.ts';

const external = 0;
const unavailable = 255;

/** LoRaWAN 1.0.4 §5.5: battery (0 external power, 1-254 level, 255 cannot measure) and margin of the last request in dB. */
export const devStatusAns = macRule<'DevStatusAns', 'DevStatusReq'>({
  receives: 'DevStatusAns',
  answers: 'DevStatusReq',
  handle([first], context, [request]) {
    const { network, session, serviceProfile } = context;
    const { reportDevStatusBattery, reportDevStatusMargin } = serviceProfile;
    if (!first || !request) return {};
    // The device received the request, though no gateway confirmed that it was sent.
    if (isDevStatusDue(context)) session.lastDevStatusRequestedAt = network.clock.now().getTime();
    if (!(reportDevStatusBattery || reportDevStatusMargin)) return {};
    const battery = reportDevStatusBattery ? first.payload.battery : unavailable;
    const isLevel = battery !== external && battery !== unavailable;
    return {
      status: {
        battery,
        margin: reportDevStatusMargin ? first.payload.margin : 0,
        externalPowerSource: battery === external,
        batteryLevelUnavailable: battery === unavailable,
        batteryLevel: isLevel ? (battery / 254) * 100 : 0,
      },
    };
  },
});
