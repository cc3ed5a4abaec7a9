/** Chooses gateways and windows for downlinks within the duty cycle of gateways. */
import { airtime, modulationOf } from '@hilltop/lorawan';
import type { PossibleFrame } from '../network/duty-cycle.ts';
import type { Network } from '../network/network.ts';
import { type DownlinkContent, frameLength } from './content.ts';
import type { DownlinkPlan } from './plan.ts';
import type { ReceiveWindow } from './windows.ts';

/** What one gateway sends, and the gateways that can replace it. */
export interface Choice<Sender, Plan> {
  plan: Plan;
  sender: Sender;
  others: Sender[];
}

export function possibleFrame({ region }: Network, window: ReceiveWindow, bytes: number): PossibleFrame {
  const { frequency, dr } = window;
  return { frequency, airtimeUs: Math.round(airtime(bytes, modulationOf(region, dr), 'down') * 1000) };
}

export function frameOfContent(network: Network, window: ReceiveWindow, content: DownlinkContent): PossibleFrame {
  return possibleFrame(network, window, frameLength(content));
}

/**
 * The first gateway with a window within its limits; the others follow. Where limits are only watched and none is
 * within them, the usual gateway with all windows. Null where they are kept.
 */
export function chooseWithinDutyCycle<Sender extends { gatewayID: string }, Window extends ReceiveWindow>(
  network: Network,
  senders: readonly [Sender, ...Sender[]],
  windows: readonly Window[],
  planFor: (windows: readonly Window[]) => DownlinkPlan<Window>,
): Choice<Sender, DownlinkPlan<Window>> | null {
  const { mode } = network.dutyCycle;
  const whole = planFor(windows);
  const [first, ...others] = senders;
  const usual = { plan: whole, sender: first, others };
  if (mode === 'OFF' || isWithin(network, first, whole)) return usual;
  for (const sender of senders) {
    const plan = planWithin(network, sender, windows, whole, planFor);
    if (plan) return { plan, sender, others: senders.filter((other) => other !== sender) };
  }
  return mode === 'KEEP' ? null : usual;
}

/** Leaves out windows beyond the limits, until the rest is within; null when nothing or less of the queue is left. */
function planWithin<Window extends ReceiveWindow>(
  network: Network,
  sender: { gatewayID: string },
  windows: readonly Window[],
  whole: DownlinkPlan<Window>,
  planFor: (windows: readonly Window[]) => DownlinkPlan<Window>,
): DownlinkPlan<Window> | null {
  let plan = whole;
  for (let open = windows; ; plan = planFor(open)) {
    if (plan.sends.length === 0 || plan.tooLarge.length > whole.tooLarge.length) return null;
    if (isWithin(network, sender, plan)) return plan;
    const beyond = plan.sends.filter((send) => !isWithin(network, sender, { sends: [send] }));
    open = open.filter((window) => !beyond.some((send) => send.window === window));
    if (open.length === 0) return null;
  }
}

function isWithin<Window extends ReceiveWindow>(
  network: Network,
  { gatewayID }: { gatewayID: string },
  { sends }: Pick<DownlinkPlan<Window>, 'sends'>,
): boolean {
  return network.dutyCycle.fits(
    gatewayID,
    sends.map(({ window, content }) => frameOfContent(network, window, content)),
  );
}
