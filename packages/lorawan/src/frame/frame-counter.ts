/**
 * Expands the 16 bits on air to the 32-bit frame counter. `next` is the counter expected next (the last accepted plus one).
 * A repetition of the last accepted frame gives next - 1, anything else the lowest value from `next` on with these low bits.
 */
export function fullFCnt(next: number, received16: number): number {
  if (next > 0 && received16 === (next - 1) % 0x10000) return next - 1;
  return next + ((received16 - (next % 0x10000) + 0x10000) % 0x10000);
}
