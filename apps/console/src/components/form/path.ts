/** Reads `location.latitude` or `boards.0.fpgaID` out of a value. */
export function getIn(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null | undefined)?.[key], value);
}

/** A copy of the value with the part at the path replaced; everything beside the path is shared. */
export function setIn<T>(value: T, path: string, part: unknown): T {
  const [key = '', ...rest] = path.split('.');
  const inner =
    rest.length === 0 ? part : setIn((value as Record<string, unknown> | null)?.[key] ?? {}, rest.join('.'), part);
  if (Array.isArray(value)) return value.with(Number(key), inner) as T;
  return { ...value, [key]: inner };
}
