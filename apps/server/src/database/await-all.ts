export function awaitAll<One, Other>(parts: readonly [Promise<One>, Promise<Other>]): Promise<[One, Other]>;
export function awaitAll<Answer>(parts: readonly Promise<Answer>[]): Promise<Answer[]>;
/** Waits for all, then answers or rejects with the first failure, because later ones only follow from it. */
export async function awaitAll(parts: readonly Promise<unknown>[]): Promise<unknown[]> {
  const all = Promise.all(parts);
  all.catch(() => undefined);
  await Promise.allSettled(parts);
  return all;
}
