/**
 * One block of AES-128 (FIPS 197) by tables of 4 kB. Those of the library have 640 kB, which all else that an uplink takes has
 * thrown out of the processor's caches by the time the next one comes.
 *
 * @param roundKeys the 44 words that the key was expanded to. Words are little-endian, here and in the block
 * @param state the block, which becomes the encrypted one
 */
export function encryptBlock(roundKeys: Uint32Array, state: Int32Array): void {
  let [s0, s1, s2, s3] = [
    state[0]! ^ roundKeys[0]!,
    state[1]! ^ roundKeys[1]!,
    state[2]! ^ roundKeys[2]!,
    state[3]! ^ roundKeys[3]!,
  ];
  for (let at = 4; at < 40; at += 4) {
    const t0 = mixed(s0, s1, s2, s3) ^ roundKeys[at]!;
    const t1 = mixed(s1, s2, s3, s0) ^ roundKeys[at + 1]!;
    const t2 = mixed(s2, s3, s0, s1) ^ roundKeys[at + 2]!;
    s3 = mixed(s3, s0, s1, s2) ^ roundKeys[at + 3]!;
    s0 = t0;
    s1 = t1;
    s2 = t2;
  }
  state[0] = substituted(s0, s1, s2, s3) ^ roundKeys[40]!;
  state[1] = substituted(s1, s2, s3, s0) ^ roundKeys[41]!;
  state[2] = substituted(s2, s3, s0, s1) ^ roundKeys[42]!;
  state[3] = substituted(s3, s0, s1, s2) ^ roundKeys[43]!;
}

/** SubBytes by FIPS 197 §5.1.1: the inverse in GF(2^8), walked through by powers of 3, and its bits mixed. */
const substitutes = new Uint8Array(256);
for (let power = 1, inverse = 1, first = true; first || power !== 1; first = false) {
  power = (power ^ doubled(power)) & 0xff;
  inverse ^= inverse << 1;
  inverse ^= inverse << 2;
  inverse = (inverse ^ (inverse << 4)) & 0xff;
  if (inverse & 0x80) inverse ^= 0x09;
  const twice = inverse | (inverse << 8);
  substitutes[power] = inverse ^ (twice >> 7) ^ (twice >> 6) ^ (twice >> 5) ^ (twice >> 4) ^ 0x63;
}
substitutes[0] = 0x63;

/** SubBytes and MixColumns of a byte in each of the four rows. */
const columns = Array.from({ length: 4 }, (_, row) =>
  Int32Array.from(substitutes, (byte) => {
    const column = doubled(byte) | (byte << 8) | (byte << 16) | ((doubled(byte) ^ byte) << 24);
    return (column << (8 * row)) | (row === 0 ? 0 : column >>> (32 - 8 * row));
  }),
);
const [row0, row1, row2, row3] = columns as [Int32Array, Int32Array, Int32Array, Int32Array];

function doubled(byte: number): number {
  return ((byte << 1) ^ (byte & 0x80 ? 0x11b : 0)) & 0xff;
}

function mixed(a: number, b: number, c: number, d: number): number {
  return row0[a & 0xff]! ^ row1[(b >>> 8) & 0xff]! ^ row2[(c >>> 16) & 0xff]! ^ row3[d >>> 24]!;
}

function substituted(a: number, b: number, c: number, d: number): number {
  return (
    substitutes[a & 0xff]! |
    (substitutes[(b >>> 8) & 0xff]! << 8) |
    (substitutes[(c >>> 16) & 0xff]! << 16) |
    (substitutes[d >>> 24]! << 24)
  );
}
