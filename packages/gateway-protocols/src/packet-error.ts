/** What is wrong with what a gateway sent, in words that suit a counter's label. */
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
