// Beyond this number of milliseconds a double cannot express nanoseconds; its last exact digit is the microsecond.
const roomForNanoseconds = 2 ** 32;

/** Whole seconds and nanoseconds (0 to 999,999,999) of an amount of milliseconds; `sign` -1 for a negative one. */
export function splitDuration(ms: number): { sign: 1 | -1; seconds: number; nanos: number } {
  const size = Math.abs(ms);
  const seconds = Math.floor(size / 1000);
  const below = (size - seconds * 1000) * 1e6;
  const nanos = size < roomForNanoseconds ? Math.round(below) : Math.round(below / 1000) * 1000;
  const carried = nanos >= 1e9 ? { seconds: seconds + 1, nanos: 0 } : { seconds, nanos };
  return { sign: ms < 0 && (carried.seconds > 0 || carried.nanos > 0) ? -1 : 1, ...carried };
}

/** Milliseconds as proto3 JSON: seconds with 0, 3, 6 or 9 fraction digits and `s` (`"1.500s"`). */
export function formatDuration(ms: number): string {
  const { sign, seconds, nanos } = splitDuration(ms);
  const fraction = String(nanos)
    .padStart(9, '0')
    .replace(/(?:000)+$/, '');
  return `${sign < 0 ? '-' : ''}${seconds}${fraction && `.${fraction}`}s`;
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
