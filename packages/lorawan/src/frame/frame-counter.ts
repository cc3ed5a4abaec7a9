/**
 * Expands the 16 transmitted bits to the 32-bit frame counter. `next` is the next expected counter (the last accepted
 * plus one). A repetition of the last accepted frame gives next - 1, any other frame the lowest value from `next` on
 * with these low bits.
 */
export function fullFCnt(next: number, received16: number): number {
  if (next > 0 && received16 === (next - 1) % 0x10000) return next - 1;
  return next + ((received16 - (next % 0x10000) + 0x10000) % 0x10000);
}
