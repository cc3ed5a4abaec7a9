import { eirpCodeOf, hasTxParamSetup, macCommand } from '@hilltop/lorawan';
import type { DeviceContext } from '../network/device-context.ts';

/** LoRaWAN 1.0.4 §5.8: dwell time limits and the power a device may use, in regions that define the command. */
export function txParamSetupReqs({ network, session, deviceProfile }: DeviceContext) {
  const { region, settings } = network;
  if (!hasTxParamSetup(region, session.macVersion)) return [];
  const networkMost = settings.uplinkMaxEIRP ?? region.maxEIRP;
  const maxEIRPCoded = eirpCodeOf(
    deviceProfile.maxEirp > 0 ? Math.min(networkMost, deviceProfile.maxEirp) : networkMost,
  );
  const { uplinkDwellTime400ms, downlinkDwellTime400ms } = settings;
  const isSet =
    session.uplinkDwellTime400ms === uplinkDwellTime400ms &&
    session.downlinkDwellTime400ms === downlinkDwellTime400ms &&
    session.maxEIRPIndex === maxEIRPCoded;
  if (isSet) return [];
  return [
    macCommand('TXParamSetupReq', {
      uplinkDwellTime: uplinkDwellTime400ms ? 1 : 0,
      downlinkDwellTime: downlinkDwellTime400ms ? 1 : 0,
      maxEIRPCoded,
    }),
  ];
}
