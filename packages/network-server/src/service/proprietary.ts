import type { ns } from '@hilltop/protobuf';
import { sendPing } from '../downlink/ping.ts';
import type { Network } from '../network/network.ts';
import { notFound, toGatewayID, toHex } from './identifiers.ts';

type Methods = 'sendProprietaryPayload';

/** Frames without a device, which gateways send at once. */
export function proprietaryMethods(network: Network): Pick<ns.NetworkServerService, Methods> {
  return {
    async sendProprietaryPayload({ macPayload, mic, gatewayMacs, polarizationInversion, frequency, dr }) {
      const gatewayIDs = gatewayMacs.map(toGatewayID);
      for (const id of gatewayIDs) if (!(await network.state.get('gateway', id))) throw notFound('gateway');
      toHex(mic, 4, 'MIC');
      for (const gatewayID of gatewayIDs)
        sendPing(network, { gatewayID, macPayload, mic, frequency, dr, isForDevices: polarizationInversion });
      return {};
    },
  };
}
