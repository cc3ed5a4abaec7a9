const units: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };
/** The longest delay of a timer. */
const longestMs = 2 ** 31 - 1;

/** The milliseconds of `grpc-timeout`, such as `1496m`; infinite without a deadline, undefined for a malformed one. */
export function deadlineOf(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return Number.POSITIVE_INFINITY;
  const [, amount, unit] = /^(\d{1,8})([HMSmun])$/.exec(String(header)) ?? [];
  return unit === undefined ? undefined : Math.min(Number(amount) * units[unit]!, longestMs);
}
