/** Shorter words occur in every text. */
const minWordLength = 4;
const schemes = /\b(Bearer|Basic|Token|SharedAccessSignature)\s+[^\s"',;]+/gi;

/**
 * Removes the values of a configuration and everything that looks like credentials from texts. It does not know which
 * values are secret: of what a user has configured, a text shows only scheme, host and path of URLs.
 */
export function createRedactor(config: object): (text: string) => string {
  const words = [...new Set(wordsOf(config))].filter((word) => word.length >= minWordLength);
  // A longer word may contain a shorter one.
  words.sort((a, b) => b.length - a.length);
  return (text) => {
    let redacted = text.replace(schemes, (_, scheme: string) => `${scheme} •••`);
    for (const word of words) redacted = redacted.replaceAll(word, '•••');
    // Control characters, also those that change the direction of writing.
    return redacted.replace(/[\p{Cc}\p{Cf}]/gu, ' ');
  };
}

function wordsOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(wordsOf);
  if (typeof value !== 'string') return [];
  // Users may see where a URL leads.
  const parts = value.split(/[\s,]+/).flatMap((part) => (URL.canParse(part) ? queryOf(part) : part.split(';')));
  const whole = URL.canParse(value.split(',')[0]!) ? [] : [value];
  const words = [...whole, ...parts];
  return [...words, ...words.map(encodeURIComponent), ...words.map((word) => Buffer.from(word).toString('base64'))];
}

function queryOf(text: string): string[] {
  return [...(URL.parse(text)?.searchParams.values() ?? [])];
}
