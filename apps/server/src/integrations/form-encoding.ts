type Pair = readonly [name: string, value: string];

/** Text as a form writes it (`application/x-www-form-urlencoded`), the way Go does: a blank is a plus. */
export function encodeFormText(text: string): string {
  const escaped = encodeURIComponent(text).replaceAll(/[!'()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return escaped.replaceAll('%20', '+');
}

/** Pairs as a query or the body of a form, sorted by name; pairs of one name keep their order. */
export function encodeForm(pairs: readonly Pair[]): string {
  return pairs
    .toSorted(([one], [other]) => (one < other ? -1 : Number(one > other)))
    .map(([name, value]) => `${encodeFormText(name)}=${encodeFormText(value)}`)
    .join('&');
}
