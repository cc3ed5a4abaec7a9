import type { UnknownGateway } from '@hilltop/contract';

/** The connection types of gateways, by the names of their manuals. */
export const linkWords: Record<UnknownGateway['link'], string> = {
  SEMTECH_UDP: 'Packet forwarder',
  BASICS_STATION: 'Basics Station',
  MQTT: 'MQTT bridge',
};
