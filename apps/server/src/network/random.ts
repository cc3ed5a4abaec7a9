import { randomFillSync } from 'node:crypto';

const drawnAtOnce = 4096;

/**
 * Random bytes for the network server: every copy of an uplink is given 16, and asking the system for so few costs many
 * times what they do in bulk. No byte is given twice or kept after it was given.
 */
export function createRandom(): (length: number) => Uint8Array {
  const drawn = new Uint8Array(drawnAtOnce);
  let used = drawnAtOnce;
  return (length) => {
    if (length > drawnAtOnce) return randomFillSync(new Uint8Array(length));
    if (used + length > drawnAtOnce) {
      randomFillSync(drawn);
      used = 0;
    }
    const given = drawn.slice(used, used + length);
    drawn.fill(0, used, (used += length));
    return given;
  };
}
