type Pair = readonly [name: string, value: string];

/** Encodes text for `application/x-www-form-urlencoded` as Go does: a space becomes a plus. */
export function encodeFormText(text: string): string {
  const escaped = encodeURIComponent(text).replaceAll(/[!'()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return escaped.replaceAll('%20', '+');
}

/** Encodes pairs as a query or form, sorted by name. Pairs of the same name keep their order. */
export function encodeForm(pairs: readonly Pair[]): string {
  return pairs
    .toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([name, value]) => `${encodeFormText(name)}=${encodeFormText(value)}`)
    .join('&');
}
