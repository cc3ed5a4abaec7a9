/** Reads `location.latitude` or `boards.0.fpgaID` out of a value. */
export function getIn(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null | undefined)?.[key], value);
}

/**
 * The values with every emptied number that nobody sees any more put back to what it was: its box is gone, so it can be
 * neither filled nor refused.
 */
export function fillHidden<T>(values: T, initial: unknown, isShown: (path: string) => boolean, path = ''): T {
  if (values === '' && typeof initial === 'number' && !isShown(path)) return initial as T;
  if (values === null || typeof values !== 'object' || Array.isArray(values)) return values;
  const entries = Object.entries(values).map(([key, inner]) => [
    key,
    fillHidden(inner, (initial as Record<string, unknown> | null)?.[key], isShown, path ? `${path}.${key}` : key),
  ]);
  return Object.fromEntries(entries) as T;
}

/** A copy of the value with the part at the path replaced; everything beside the path is shared. */
export function setIn<T>(value: T, path: string, part: unknown): T {
  const [key = '', ...rest] = path.split('.');
  const inner =
    rest.length === 0 ? part : setIn((value as Record<string, unknown> | null)?.[key] ?? {}, rest.join('.'), part);
  if (Array.isArray(value)) return value.with(Number(key), inner) as T;
  return { ...value, [key]: inner };
}
