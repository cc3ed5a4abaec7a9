import type { MacCommandName } from '@hilltop/lorawan';
import { beaconFreqAns } from './beacon-freq-ans.ts';
import { beaconTimingReq } from './beacon-timing-req.ts';
import { devStatusAns } from './dev-status-ans.ts';
import { deviceModeInd } from './device-mode-ind.ts';
import { deviceTimeReq } from './device-time-req.ts';
import { linkADRAns } from './link-adr-ans.ts';
import { linkCheckReq } from './link-check-req.ts';
import { newChannelAns } from './new-channel-ans.ts';
import { notifyNewEndDeviceReq } from './notify-new-end-device-req.ts';
import { pingSlotChannelAns } from './ping-slot-channel-ans.ts';
import { pingSlotInfoReq } from './ping-slot-info-req.ts';
import { rejoinParamSetupAns } from './rejoin-param-setup-ans.ts';
import { rekeyInd } from './rekey-ind.ts';
import { resetInd } from './reset-ind.ts';
import type { AnyMacRule } from './rule.ts';
import { rxParamSetupAns } from './rx-param-setup-ans.ts';
import { rxTimingSetupAns } from './rx-timing-setup-ans.ts';
import { txParamSetupAns } from './tx-param-setup-ans.ts';

/** Every command of a device that the network handles; other answers only end their request. */
const rules: AnyMacRule[] = [
  resetInd,
  linkCheckReq,
  linkADRAns,
  devStatusAns,
  newChannelAns,
  rxParamSetupAns,
  rxTimingSetupAns,
  txParamSetupAns,
  rekeyInd,
  deviceTimeReq,
  rejoinParamSetupAns,
  pingSlotInfoReq,
  pingSlotChannelAns,
  beaconTimingReq,
  beaconFreqAns,
  deviceModeInd,
  notifyNewEndDeviceReq,
];

export const macRules: ReadonlyMap<MacCommandName, AnyMacRule> = new Map(rules.map((rule) => [rule.receives, rule]));
