/** Shorter ones would blot out half of every text. */
const shortest = 4;
const schemes = /\b(Bearer|Basic|Token|SharedAccessSignature)\s+[^\s"',;]+/gi;

/**
 * Blots out of a text whatever stands in the configuration of an integration, and what looks like credentials: it knows
 * nothing of kinds, so nothing that a person has filled in is shown, but scheme, host and path of addresses.
 */
export function createRedactor(config: object): (text: string) => string {
  const words = [...new Set(wordsOf(config))].filter((word) => word.length >= shortest);
  // The longer first: one may be part of another.
  words.sort((a, b) => b.length - a.length);
  return (text) => {
    let blotted = text.replace(schemes, (_, scheme: string) => `${scheme} •••`);
    for (const word of words) blotted = blotted.replaceAll(word, '•••');
    // Control characters, also those that turn the direction of writing.
    return blotted.replace(/[\p{Cc}\p{Cf}]/gu, ' ');
  };
}

function wordsOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(wordsOf);
  if (typeof value !== 'string') return [];
  // Of an address people may see where it leads.
  const parts = value.split(/[\s,]+/).flatMap((part) => (URL.canParse(part) ? queryOf(part) : part.split(';')));
  const whole = URL.canParse(value.split(',')[0]!) ? [] : [value];
  const words = [...whole, ...parts];
  return [...words, ...words.map(encodeURIComponent), ...words.map((word) => Buffer.from(word).toString('base64'))];
}

function queryOf(text: string): string[] {
  return [...(URL.parse(text)?.searchParams.values() ?? [])];
}
