/** Counter name to value, such as `rx_count`, `rx_freq_868100000`, `error_OTAA`. */
export type Counters = Record<string, number>;

/** Adds `more` to `sum`, in place. */
export function addCounters(sum: Counters, more: Counters): Counters {
  for (const [name, value] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + value;
  return sum;
}

/** The counters whose name starts with `prefix`, named by the rest: `rx_freq_868100000` -> `868100000`. */
export function countersOf(prefix: string, counters: Counters): Record<string, number> {
  const found = Object.entries(counters).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(found.map(([name, value]) => [name.slice(prefix.length), value]));
}
