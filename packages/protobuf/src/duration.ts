// A number of milliseconds this large has no room left for nanoseconds; its last honest digit is the microsecond.
const roomForNanoseconds = 2 ** 32;

/** Milliseconds as proto3 JSON: seconds with 0, 3, 6 or 9 fraction digits and `s` (`"1.500s"`). */
export function formatDuration(ms: number): string {
  const size = Math.abs(ms);
  let seconds = Math.floor(size / 1000);
  const below = (size - seconds * 1000) * 1e6;
  let nanos = size < roomForNanoseconds ? Math.round(below) : Math.round(below / 1000) * 1000;
  if (nanos >= 1e9) {
    seconds += 1;
    nanos = 0;
  }
  const fraction = String(nanos)
    .padStart(9, '0')
    .replace(/(?:000)+$/, '');
  const sign = ms < 0 && (seconds > 0 || nanos > 0) ? '-' : '';
  return `${sign}${seconds}${fraction && `.${fraction}`}s`;
}

const unitMs: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
};

/** Milliseconds of `"30s"`, `"1h0.5s"`, `"1500ms"`; every number needs its unit, else undefined. */
export function parseDuration(text: string): number | undefined {
  const [, sign, rest] = /^([+-]?)((?:\d+(?:\.\d*)?(?:h|ms|m|s|us|µs|ns))+)$/.exec(text) ?? [];
  if (rest === undefined) return undefined;
  let ms = 0;
  for (const [, amount, unit] of rest.matchAll(/(\d+(?:\.\d*)?)(h|ms|m|s|us|µs|ns)/g)) {
    ms += Number(amount) * (unitMs[unit!] ?? Number.NaN);
  }
  return sign === '-' ? -ms : ms;
}
