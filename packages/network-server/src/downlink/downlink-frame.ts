import { modulationOf } from '@hilltop/lorawan';
import { create, gw } from '@hilltop/protobuf';
import type { Network } from '../network/network.ts';
import { randomUUID } from '../platform/random-uuid.ts';
import type { Receiver } from '../state/session.ts';
import { powerOf, type ReceiveWindow, type Timing } from './windows.ts';

/** The gateway that sends, and the context of the uplink that it received; `context` is empty without one. */
type Sender = Pick<Receiver, 'gatewayID' | 'context' | 'board' | 'antenna'>;

/** A downlink for a gateway: one item per window, in order of preference; delays count from the uplink of `receiver`. */
export function buildDownlinkFrame(
  network: Network,
  receiver: Sender,
  items: readonly { window: ReceiveWindow; phyPayload: Uint8Array; isForGateways?: boolean }[],
): gw.DownlinkFrame {
  const downlinkID = randomUUID(network.random);
  const [high = 0, low = 0] = downlinkID;
  return create(gw.DownlinkFrame, {
    downlinkID,
    token: high * 256 + low,
    gatewayID: Uint8Array.fromHex(receiver.gatewayID),
    items: items.map(({ window, phyPayload, isForGateways = false }) => ({
      phyPayload,
      txInfo: txInfoOf(network, receiver, window, isForGateways),
    })),
  });
}

function txInfoOf(
  network: Network,
  receiver: Sender,
  { frequency, dr, timing }: ReceiveWindow,
  isForGateways: boolean,
) {
  return {
    gatewayID: Uint8Array.fromHex(receiver.gatewayID),
    frequency,
    power: powerOf(network, frequency),
    ...modulationInfoOf(network, dr, isForGateways),
    board: receiver.board,
    antenna: receiver.antenna,
    ...timingInfoOf(timing),
    context: Uint8Array.fromHex(receiver.context),
  } as const;
}

function timingInfoOf(timing: Timing) {
  if (timing === 'immediately') return { timing: 'IMMEDIATELY', immediatelyTimingInfo: {} } as const;
  if ('afterMs' in timing) return { timing: 'DELAY', delayTimingInfo: { delay: timing.afterMs } } as const;
  return { timing: 'GPS_EPOCH', gpsEpochTimingInfo: { timeSinceGPSEpoch: timing.atGpsMs } } as const;
}

/** Devices receive inverted signals, gateways signals that are not inverted. */
function modulationInfoOf({ region }: Network, dr: number, isForGateways: boolean) {
  const modulation = modulationOf(region, dr);
  switch (modulation.modulation) {
    case 'LORA': {
      const { bandwidth, spreadingFactor } = modulation;
      const loRaModulationInfo = { bandwidth, spreadingFactor, codeRate: '4/5', polarizationInversion: !isForGateways };
      return { modulation: 'LORA', loRaModulationInfo } as const;
    }
    case 'FSK': {
      const { datarate } = modulation;
      return { modulation: 'FSK', fskModulationInfo: { datarate, frequencyDeviation: datarate / 2 } } as const;
    }
    default:
      throw new RangeError(`Data-rate ${dr} of ${region.name} is not for downlinks.`);
  }
}
