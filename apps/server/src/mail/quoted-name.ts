/** Invisible, and no part of an address. */
const wordJoiner = '\u2060';

/** A name that a user chose, for a mail to somebody else: in quotes, in one line, and no mail program makes a link of it. */
export function quotedName(name: string): string {
  const line = name.replaceAll(/\p{Cc}+/gu, ' ').replaceAll(/["“”„«»]/g, "'");
  return `"${line.replaceAll(/(?<=\S)[.:/@](?=\S)/g, `$&${wordJoiner}`)}"`;
}
