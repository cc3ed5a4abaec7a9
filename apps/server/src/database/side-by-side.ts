export function sideBySide<One, Other>(parts: readonly [Promise<One>, Promise<Other>]): Promise<[One, Other]>;
export function sideBySide<Answer>(parts: readonly Promise<Answer>[]): Promise<Answer[]>;
/** Waits for all, then answers or rejects with the first failure, because later ones only follow from it. */
export async function sideBySide(parts: readonly Promise<unknown>[]): Promise<unknown[]> {
  const all = Promise.all(parts);
  all.catch(() => undefined);
  await Promise.allSettled(parts);
  return all;
}
