/** The similarity of texts to this one, from 0 to 1: shared trigrams among all trigrams, as in PostgreSQL's pg_trgm. */
export function similarTo(one: string): (other: string) => number {
  const ours = trigrams(padded(one));
  return (other) => {
    const words = padded(other);
    let shared = 0;
    for (const trigram of ours) if (words.some((word) => word.includes(trigram))) shared++;
    // Most texts share no trigram, and need no set of them.
    return shared === 0 ? 0 : shared / (ours.size + countTrigrams(words) - shared);
  };
}

/** The words in lower case, with two spaces before and one after. */
function padded(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `  ${word} `);
}

function trigrams(words: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const word of words)
    for (let start = 0; start + 3 <= word.length; start++) found.add(word.slice(start, start + 3));
  return found;
}

/** The number of different trigrams. Most texts have few, and a search rates hundreds of texts. */
function countTrigrams(words: readonly string[]): number {
  const found: (number | string)[] = [];
  for (const word of words) {
    for (let start = 0; start + 3 <= word.length; start++) {
      const code = codeOf(word, start);
      if (!found.includes(code)) found.push(code);
    }
  }
  return found.length;
}

/** Comparing numbers is faster than comparing texts. */
function codeOf(word: string, at: number): number | string {
  const one = word.charCodeAt(at);
  const two = word.charCodeAt(at + 1);
  const three = word.charCodeAt(at + 2);
  return (one | two | three) < 128 ? (one << 14) | (two << 7) | three : word.slice(at, at + 3);
}
