/** Waits for all, then answers or rejects as the first that did: what went wrong behind that only follows from it. */
export async function sideBySide<Answers extends readonly unknown[]>(
  parts: readonly [...{ [At in keyof Answers]: Promise<Answers[At]> }],
): Promise<Answers> {
  const all = Promise.all(parts) as Promise<unknown> as Promise<Answers>;
  all.catch(() => undefined);
  await Promise.allSettled(parts);
  return all;
}
