import { joinAcceptDelays, rx1DataRate, rx1Frequency, rx2Defaults } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import type { DeviceTransmission } from '../network/transmissions.ts';
import type { Uplink } from '../radio/uplink.ts';
import { receiversOf } from '../session/receivers.ts';
import type { Receiver } from '../state/session.ts';
import { answeringGateways } from './choose-gateway.ts';
import { buildDownlinkFrame } from './downlink-frame.ts';
import { orderWindows, type ReceiveWindow } from './windows.ts';
import { possibleFrame } from './within-duty-cycle.ts';

/** A join-accept for the windows 5 and 6 s after the request, with the region's own parameters; null without a gateway. */
export function joinAcceptTransmission(
  network: Network,
  uplink: Uplink,
  {
    devEUI,
    devAddr,
    phyPayload,
    clear,
    regParamsRevision,
  }: {
    devEUI: string;
    devAddr: string;
    phyPayload: Uint8Array;
    clear: Uint8Array | null;
    regParamsRevision: string;
  },
): DeviceTransmission | null {
  const { region, settings } = network;
  const gateways = answeringGateways(network, receiversOf(uplink.receptions), uplink);
  const frequency = rx1Frequency(region, uplink.txInfo.frequency);
  const downlinkDwell = settings.downlinkDwellTime400ms;
  const dr = rx1DataRate(region, uplink.dr, 0, { downlinkDwell, regParamsRevision });
  const rx1 =
    frequency === null || dr === null ? null : { frequency, dr, timing: { afterMs: joinAcceptDelays.rx1 * 1000 } };
  const rx2 = rx2Defaults(region);
  const timing = { afterMs: joinAcceptDelays.rx2 * 1000 };
  const second = { frequency: rx2.frequency, dr: rx2.dataRate, timing };
  const choice = choiceOf(network, gateways, orderWindows(network, rx1, second, false), phyPayload.length);
  if (!choice) return null;
  const { receiver, receivers, windows } = choice;
  const items = windows.map((window) => ({ window, phyPayload }));
  const frame = buildDownlinkFrame(network, receiver, items);
  const others = { receivers, receivedAt: network.clock.now().getTime() - settings.deduplicationDelayMs };
  return { frame, devEUI, devAddr, clear: items.map(() => clear), data: [], others };
}

/** The first gateway that may send in some window; null without any. */
function choiceOf(network: Network, gateways: readonly Receiver[], windows: readonly ReceiveWindow[], bytes: number) {
  const { dutyCycle } = network;
  const [first] = gateways;
  if (!first || windows.length === 0) return null;
  const openAt = ({ gatewayID }: Receiver) =>
    windows.filter((window) => dutyCycle.fits(gatewayID, [possibleFrame(network, window, bytes)]));
  const receiver = dutyCycle.mode === 'OFF' ? undefined : gateways.find((gateway) => openAt(gateway).length > 0);
  if (receiver)
    return { receiver, receivers: gateways.filter((other) => other !== receiver), windows: openAt(receiver) };
  if (dutyCycle.mode === 'KEEP') {
    network.count('downlinks_without_duty_cycle');
    return null;
  }
  return { receiver: first, receivers: gateways.slice(1), windows };
}
