import type { Gateway, Location } from '@hilltop/contract';
import { create, ns } from '@hilltop/protobuf';
import { uuidBytes, uuidText } from '../../identifiers.ts';

const optionalUUID = (text: string) => (text === '' ? new Uint8Array() : uuidBytes(text));

/** The part of a gateway that the network server stores. */
export function toNetworkForm(gateway: Gateway, location: Location, routingProfileId: Uint8Array): ns.Gateway {
  return create(ns.Gateway, {
    id: Uint8Array.fromHex(gateway.id),
    location,
    routingProfileId,
    gatewayProfileId: optionalUUID(gateway.gatewayProfileID),
    serviceProfileId: optionalUUID(gateway.serviceProfileID),
    boards: gateway.boards.map(({ fpgaID, fineTimestampKey }) => ({
      fpgaId: Uint8Array.fromHex(fpgaID),
      fineTimestampKey: Uint8Array.fromHex(fineTimestampKey),
    })),
  });
}

export function fromNetworkForm({ gatewayProfileId, serviceProfileId, boards }: ns.Gateway) {
  return {
    gatewayProfileID: uuidText(gatewayProfileId),
    serviceProfileID: uuidText(serviceProfileId),
    boards: boards.map(({ fpgaId, fineTimestampKey }) => ({
      fpgaID: fpgaId.toHex(),
      fineTimestampKey: fineTimestampKey.toHex(),
    })),
  };
}
