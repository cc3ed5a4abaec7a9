/** The fault of a packet, by a name that suits the label of a counter. */
export type PacketFault =
  | 'short'
  | 'length'
  | 'version'
  | 'identifier'
  | 'json'
  | 'protobuf'
  | 'field'
  | 'foreign-id'
  | 'topic';

/** Bytes, or one JSON object of them, that are not of the protocol. `field` names the member (`rxpk[0].datr`). */
export class PacketError extends Error {
  override readonly name = 'PacketError';
  readonly fault: PacketFault;
  readonly field: string;

  constructor(fault: PacketFault, text: string, field = '') {
    super(text);
    this.fault = fault;
    this.field = field;
  }
}
