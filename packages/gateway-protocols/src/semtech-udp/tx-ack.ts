import type { gw } from '@hilltop/protobuf';
import type { TxAck } from './packet.ts';

const known: readonly string[] = [
  'TOO_LATE',
  'TOO_EARLY',
  'COLLISION_PACKET',
  'COLLISION_BEACON',
  'TX_FREQ',
  'TX_POWER',
  'GPS_UNLOCKED',
] satisfies gw.TxAckStatus[];

/** The result of the downlink. With a warning (newer forwarders reduce the power) the downlink was sent. */
export function txAckStatusOf(packet: Pick<TxAck, 'error'>): gw.TxAckStatus {
  const { error } = packet;
  if (error === '' || error === 'NONE') return 'OK';
  return known.includes(error) ? (error as gw.TxAckStatus) : 'INTERNAL_ERROR';
}
