const largestError = 1e-9;

/** Whether two JSON values are equal. Numbers may differ by 1e-9 of the larger one. */
export function isSameJSON(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number') {
    return one === other || Math.abs(one - other) <= largestError * Math.max(1, Math.abs(one), Math.abs(other));
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) &&
        isSameJSON((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]),
    )
  );
}
