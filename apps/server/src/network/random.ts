import { randomFillSync } from 'node:crypto';

const drawnAtOnce = 4096;

/**
 * Random bytes for ids and the network server. Every copy of an uplink gets 16; requesting so few from the system costs many
 * times as much per byte as requesting many. Bytes are never given out twice, and are erased afterwards.
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
