import { createHash } from 'node:crypto';

/**
 * The element of `ids` that every instance chooses for this name. Few choices change when an instance starts or ends.
 */
export function chosenFor(name: string, ids: readonly string[]): string | undefined {
  let [best, weight] = [undefined as string | undefined, -1n];
  for (const id of ids) {
    const own = number64(`${id} ${name}`);
    if (own > weight) [best, weight] = [id, own];
  }
  return best;
}

/** The rank of `id` for this name: how many other ids all instances prefer. */
export const turnOf = (name: string, id: string, ids: readonly string[]): number => {
  const own = number64(`${id} ${name}`);
  return ids.filter((other) => number64(`${other} ${name}`) > own).length;
};

/** A name as the key of an advisory lock. */
export const lockKey = (name: string): string => BigInt.asIntN(64, number64(`hilltop lease ${name}`)).toString();

const number64 = (text: string): bigint => createHash('sha256').update(text).digest().readBigUInt64BE();
