const unitsInSeconds: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/gy;
/** The largest duration of protobuf, in seconds: about ten thousand years. */
const longest = 315_576_000_000;

/**
 * Reads duration text such as `30s`, `1h0.5s` or `1500ms` (a unit is needed, except for `0`). Returns milliseconds, or
 * null when the text is no duration.
 */
export function parseDuration(text: string): number | null {
  const sign = text.startsWith('-') ? -1 : 1;
  const rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0;
  let seconds = 0;
  part.lastIndex = 0;
  do {
    const found = part.exec(rest);
    if (!found) return null;
    seconds += Number(found[1]) * (unitsInSeconds[found[2]!] ?? 0);
    if (found.index + found[0].length === rest.length) return seconds <= longest ? sign * seconds * 1000 : null;
  } while (part.lastIndex > 0);
  return null;
}

/** Milliseconds as wire text: seconds with 0, 3, 6 or 9 fraction digits and an `s`, such as `30s` or `1.500s`. */
export function formatDuration(milliseconds: number): string {
  const digits = (milliseconds / 1000).toFixed(9);
  const [whole = '0', fraction = ''] = digits.split('.');
  const significant = fraction.replace(/(?:000)+$/, '');
  return `${whole}${significant === '' ? '' : `.${significant}`}s`;
}
