/**
 * How alike texts are to this one, from 0 to 1: the trigrams they share among all they have, as PostgreSQL's pg_trgm
 * has it.
 */
export function similarTo(one: string): (other: string) => number {
  const ours = trigrams(one);
  return (other) => {
    const theirs = trigrams(other);
    const shared = ours.intersection(theirs).size;
    const all = ours.size + theirs.size - shared;
    return all === 0 ? 0 : shared / all;
  };
}

/** Of each word in lower case, padded with two spaces before and one after. */
function trigrams(text: string): Set<string> {
  const found = new Set<string>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const padded = `  ${word} `;
    for (let start = 0; start + 3 <= padded.length; start++) found.add(padded.slice(start, start + 3));
  }
  return found;
}
