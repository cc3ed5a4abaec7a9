/** What is wrong with a datagram, in words that suit a counter's label. */
export type PacketFault = 'short' | 'length' | 'version' | 'identifier' | 'json' | 'field';

/** A datagram, or one JSON object of it, that is not Semtech UDP. `field` names the JSON member (`rxpk[0].datr`). */
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
