import { airtime, type MacCommand, macCommand, modulationOf, nextBeacon } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import type { Uplink } from '../radio/uplink.ts';
import { uplinkTime } from '../radio/uplink-time.ts';
import { type DownlinkContent, frameLength, type PendingContent } from './content.ts';
import { type DownlinkPlan, planDownlink } from './plan.ts';
import type { ReceiveWindow } from './windows.ts';

type SizedWindow = ReceiveWindow & { limit: number };

/** The unit of the delay in BeaconTimingAns. */
const unitMs = 30;

/**
 * BeaconTimingAns (class B before LoRaWAN 1.0.3) counts from the end of the frame that carries it, and so is true in one
 * window only: a response with one is planned for the first window alone, once its length is known.
 */
export function planResponse(
  network: Network,
  uplink: Uplink,
  windows: readonly SizedWindow[],
  toSay: PendingContent,
  isAwaited: boolean,
): DownlinkPlan<SizedWindow> {
  const plan = planDownlink(windows, toSay, isAwaited);
  const [first] = plan.sends;
  if (!first || !toSay.answers.some(isBeaconTiming)) return plan;
  const answer = beaconTimingAns(network, uplink, first);
  const answers = toSay.answers.flatMap((other) => (isBeaconTiming(other) ? answer : other));
  return planDownlink([first.window], { ...toSay, answers }, isAwaited);
}

const isBeaconTiming = ({ name }: MacCommand): boolean => name === 'BeaconTimingAns';

function beaconTimingAns(
  network: Network,
  uplink: Uplink,
  { window: { timing, dr }, content }: { window: ReceiveWindow; content: DownlinkContent },
): MacCommand[] {
  const { region, settings } = network;
  const receivedAt = uplinkTime(network, uplink);
  if (receivedAt === null || timing === 'immediately' || 'atGpsMs' in timing) return [];
  const endsAt = receivedAt + timing.afterMs + airtime(frameLength(content), modulationOf(region, dr), 'down');
  const { atGpsMs, channel } = nextBeacon(region, endsAt);
  const delay = Math.floor((atGpsMs - endsAt) / unitMs);
  return [macCommand('BeaconTimingAns', { delay, channel: settings.classBBeaconFrequency === 0 ? channel : 0 })];
}
