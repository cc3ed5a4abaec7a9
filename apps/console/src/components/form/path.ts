/** Reads `location.latitude` or `boards.0.fpgaID` from a value. */
export function getIn(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null | undefined)?.[key], value);
}

/**
 * The values with every emptied number of an unmounted field reset to its initial value: without a box the user can
 * neither fill it in nor see its error.
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

/** A copy of the value with the part at the path replaced; all other parts are shared. */
export function setIn<T>(value: T, path: string, part: unknown): T {
  const [key = '', ...rest] = path.split('.');
  const inner =
    rest.length === 0 ? part : setIn((value as Record<string, unknown> | null)?.[key] ?? {}, rest.join('.'), part);
  if (Array.isArray(value)) return value.with(Number(key), inner) as T;
  return { ...value, [key]: inner };
}
