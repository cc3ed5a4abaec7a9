/** What is wrong with a packet; the name is also the label of a counter. */
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

/** Bytes, or one JSON object, that violate the protocol. `field` names the field (`rxpk[0].datr`). */
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
