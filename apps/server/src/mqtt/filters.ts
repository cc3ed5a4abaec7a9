/** Whether a filter, split at its slashes, matches a topic (MQTT 3.1.1 §4.7). */
export function lets(filter: readonly string[], topic: readonly string[]): boolean {
  for (const [at, part] of filter.entries()) {
    if (part === '#') return true;
    if (at >= topic.length || (part !== '+' && part !== topic[at])) return false;
  }
  return filter.length === topic.length;
}

/** Whether a filter matches any topic that another filter, with `+` as its only wildcard, describes. */
export function couldLet(filter: readonly string[], topics: readonly string[]): boolean {
  for (const [at, part] of filter.entries()) {
    if (part === '#') return true;
    const other = topics[at];
    if (other === undefined || (part !== '+' && other !== '+' && part !== other)) return false;
  }
  return filter.length === topics.length;
}

const longestFilter = 256;
const mostLevels = 10;

/** Whether the text is a valid filter with a reasonable number of levels. */
export function isFilter(text: string): boolean {
  const levels = text.split('/');
  return (
    text !== '' &&
    Buffer.byteLength(text) <= longestFilter &&
    levels.length <= mostLevels &&
    !text.includes('\0') &&
    levels.every((level, at) => level === '+' || (level === '#' ? at === levels.length - 1 : !/[+#]/.test(level)))
  );
}
