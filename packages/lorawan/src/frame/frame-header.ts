import type { Direction, FCtrl } from './frame.ts';

/** The FCtrl byte, whose middle bits depend on the direction (LoRaWAN 1.1 §4.3.1). */
const bits = { adr: 0x80, adrAckReq: 0x40, ack: 0x20, classB: 0x10, fPending: 0x10, fOptsLength: 0x0f } as const;

export function decodeFCtrl(direction: Direction, byte: number): FCtrl & { fOptsLength: number } {
  const isUp = direction === 'up';
  return {
    adr: (byte & bits.adr) !== 0,
    adrAckReq: isUp && (byte & bits.adrAckReq) !== 0,
    ack: (byte & bits.ack) !== 0,
    fPending: !isUp && (byte & bits.fPending) !== 0,
    classB: isUp && (byte & bits.classB) !== 0,
    fOptsLength: byte & bits.fOptsLength,
  };
}

/** Omits flags that do not exist in this direction. */
export function encodeFCtrl(direction: Direction, fCtrl: FCtrl, fOptsLength: number): number {
  const flags =
    direction === 'up' ? (['adr', 'adrAckReq', 'ack', 'classB'] as const) : (['adr', 'ack', 'fPending'] as const);
  return flags.reduce((byte, flag) => byte | (fCtrl[flag] ? bits[flag] : 0), fOptsLength);
}
