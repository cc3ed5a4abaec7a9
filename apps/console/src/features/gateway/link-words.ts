import type { UnknownGateway } from '@hilltop/contract';

/** By what a gateway can be connected, as its manual calls it. */
export const linkWords: Record<UnknownGateway['link'], string> = {
  SEMTECH_UDP: 'Packet forwarder',
  BASICS_STATION: 'Basics Station',
  MQTT: 'MQTT bridge',
};
