/**
 * Numbers by the digest of a name, in 16 bytes each outside of the heap: a hundred thousand devices have a million
 * rows, and a Map takes five times as much. Two names with the same digest of 53 bits share an entry.
 */
export interface RowDigests {
  readonly size: number;
  get: (name: number) => number | undefined;
  set: (name: number, value: number) => void;
}

const fewest = 1024;
/** The load at which the table grows. With a higher load, lookups take longer. */
const fullest = 0.7;

export function createRowDigests(): RowDigests {
  let names = new Float64Array(fewest);
  let values = new Float64Array(fewest);
  let size = 0;

  /** The index of the name, or the free one where to insert it. */
  function placeOf(name: number): number {
    const last = names.length - 1;
    let index = name & last;
    while (names[index] !== 0 && names[index] !== name) index = (index + 1) & last;
    return index;
  }

  function put(name: number, value: number): void {
    const index = placeOf(name);
    if (names[index] === 0) size += 1;
    names[index] = name;
    values[index] = value;
  }

  function grow(): void {
    const [namesBefore, valuesBefore] = [names, values];
    names = new Float64Array(2 * namesBefore.length);
    values = new Float64Array(2 * namesBefore.length);
    size = 0;
    for (const [index, name] of namesBefore.entries()) if (name !== 0) put(name, valuesBefore[index]!);
  }

  return {
    get size() {
      return size;
    },
    get: (name) => {
      const index = placeOf(name || 1);
      return names[index] === 0 ? undefined : values[index];
    },
    set: (name, value) => {
      if (size >= fullest * names.length) grow();
      put(name || 1, value);
    },
  };
}

/** 53 bits of a name: fast, but no protection against deliberate collisions. */
export function digestOfName(name: string): number {
  let [one, other] = [0xde_ad_be_ef, 0x41_c6_ce_57];
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at);
    one = Math.imul(one ^ code, 2_654_435_761);
    other = Math.imul(other ^ code, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909);
  other = Math.imul(other ^ (other >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & other) + (one >>> 0);
}
