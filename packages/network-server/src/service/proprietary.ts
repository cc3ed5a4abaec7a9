import { encodeFrame } from '@hilltop/lorawan';
import { type ns, RpcError } from '@hilltop/protobuf';
import { buildDownlinkFrame } from '../downlink/downlink-frame.ts';
import { send } from '../downlink/send.ts';
import type { Network } from '../network.ts';
import { notFound, toGatewayID, toHex } from './identifiers.ts';

type Methods = 'sendProprietaryPayload';

/** Frames for no device, which gateways send at once: the pings by which they find each other. */
export function proprietaryMethods(network: Network): Pick<ns.NetworkServerService, Methods> {
  const { region, state } = network;
  return {
    async sendProprietaryPayload({ macPayload, mic, gatewayMacs, polarizationInversion, frequency, dr }) {
      const gatewayIDs = gatewayMacs.map(toGatewayID);
      for (const id of gatewayIDs) if (!(await state.get('gateway', id))) throw notFound('gateway');
      toHex(mic, 4, 'MIC');
      const [from, to] = region.frequencyRange;
      if (frequency < from || frequency > to)
        throw new RpcError('InvalidArgument', `Gateways of ${region.name} do not send on ${frequency} Hz.`);
      // Other gateways hear what devices send, so that any data-rate of devices will do.
      if (region.dataRates[dr]?.modulation !== 'LORA')
        throw new RpcError('InvalidArgument', `${region.name} has no LoRa data-rate ${dr}.`);
      const phyPayload = encodeFrame({ mType: 'Proprietary', major: 0, bytes: macPayload, mic });
      const window = { frequency, dr, timing: 'immediately' } as const;
      for (const gatewayID of gatewayIDs) {
        const sender = { gatewayID, context: '', board: 0, antenna: 0 };
        const items = [{ window, phyPayload, isForGateways: !polarizationInversion }];
        const frame = buildDownlinkFrame(network, sender, items);
        send(network, { frame, devAddr: '', isPing: true });
      }
      return {};
    },
  };
}
