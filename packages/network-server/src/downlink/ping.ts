/** Frames without a device, which one gateway sends and others receive. */
import { encodeFrame } from '@hilltop/lorawan';
import { type gw, RpcError } from '@hilltop/protobuf';
import { framesOf } from '../network/duty-cycle.ts';
import type { Network } from '../network/network.ts';
import { buildDownlinkFrame } from './downlink-frame.ts';
import { send } from './send.ts';

/** `SENT`: the gateway confirmed it; `NO_ANSWER`: the gateway may have sent it; otherwise it was not sent. */
export type PingOutcome = 'SENT' | 'NO_ANSWER' | 'NOT_CONNECTED' | 'BASICS_STATION' | 'DUTY_CYCLE' | gw.TxAckStatus;

export interface Ping {
  gatewayID: string;
  macPayload: Uint8Array;
  mic: Uint8Array;
  /** Hz. */
  frequency: number;
  dr: number;
  /** Inverted as for devices, so that gateways do not receive it. */
  isForDevices: boolean;
}

const answerMs = 2_000;

/** Throws InvalidArgument when no gateway of the region can send such a frame. */
export function sendPing(network: Network, ping: Ping, onAnswer?: (status: gw.TxAckStatus) => void): void {
  const { region } = network;
  const { gatewayID, macPayload, mic, frequency, dr, isForDevices } = ping;
  const [from, to] = region.frequencyRange;
  if (frequency < from || frequency > to)
    throw new RpcError('InvalidArgument', `Gateways of ${region.name} do not send on ${frequency} Hz.`);
  // Gateways receive uplinks, so any data rate of uplinks is possible.
  if (region.dataRates[dr]?.modulation !== 'LORA')
    throw new RpcError('InvalidArgument', `${region.name} has no LoRa data-rate ${dr}.`);
  if (!isForDevices && isStation(network, gatewayID))
    throw new RpcError('FailedPrecondition', 'A Basics Station sends only what devices can hear.');
  const phyPayload = encodeFrame({ mType: 'Proprietary', major: 0, bytes: macPayload, mic });
  const window = { frequency, dr, timing: 'immediately' } as const;
  const sender = { gatewayID, context: '', board: 0, antenna: 0 };
  const frame = buildDownlinkFrame(network, sender, [{ window, phyPayload, isForGateways: !isForDevices }]);
  if (network.dutyCycle.among([sender], framesOf(frame.items)).length === 0) throw dutyCycleUsedUp();
  send(network, { frame, devAddr: '', isPing: true, ...(onAnswer && { onAnswer }) });
}

/** Lets a gateway send a ping and waits some time for its answer. */
export async function ping(network: Network, one: Omit<Ping, 'isForDevices' | 'macPayload'>): Promise<PingOutcome> {
  const { gatewayID } = one;
  if (isStation(network, gatewayID)) return 'BASICS_STATION';
  if (!network.gateways.has(gatewayID)) return 'NOT_CONNECTED';
  const { promise, resolve, reject } = Promise.withResolvers<PingOutcome>();
  const cancel = network.clock.after(answerMs, () => resolve('NO_ANSWER'));
  try {
    sendPing(network, { ...one, macPayload: new Uint8Array(), isForDevices: false }, (status) =>
      resolve(status === 'OK' ? 'SENT' : status),
    );
  } catch (error) {
    if (!(error instanceof RpcError && error.code === 'ResourceExhausted')) reject(error);
    else resolve('DUTY_CYCLE');
  }
  return promise.finally(cancel);
}

function dutyCycleUsedUp(): RpcError {
  const text =
    'The gateway has used up the duty cycle of this frequency. Try again later, or change the radio settings.';
  return new RpcError('ResourceExhausted', text);
}

/** The protocol of stations has no field for the polarization, and stations always invert. */
function isStation({ gateways }: Network, gatewayID: string): boolean {
  return gateways.of(gatewayID)?.link === 'basics-station';
}
