/** Counter name to value, such as `rx_count`, `rx_freq_868100000`, `error_OTAA`. */
export type Counters = Record<string, number>;

/** No network has more frequencies than this in one direction; real networks have far fewer. */
const mostFrequencies = 128;

/**
 * Adds `more` to `sum`, in place. Frequencies beyond the limit are added up under 0. Earlier releases counted each
 * forged frequency by its name; such rows shrink when they are read or added to.
 */
export function addCounters(sum: Counters, more: Counters): Counters {
  for (const [name, value] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + value;
  if (Object.keys(sum).length > mostFrequencies) for (const prefix of ['rx_freq_', 'tx_freq_']) limit(prefix, sum);
  return sum;
}

function limit(prefix: string, counters: Counters): void {
  const other = `${prefix}0`;
  const names = Object.keys(counters).filter((name) => name.startsWith(prefix) && name !== other);
  if (names.length <= mostFrequencies) return;
  for (const name of names.sort((a, b) => counters[b]! - counters[a]!).slice(mostFrequencies)) {
    counters[other] = (counters[other] ?? 0) + counters[name]!;
    delete counters[name];
  }
}

/** The counters whose name starts with `prefix`, without it: `rx_freq_868100000` -> `868100000`. */
export function countersOf(prefix: string, counters: Counters): Record<string, number> {
  const found = Object.entries(counters).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(found.map(([name, value]) => [name.slice(prefix.length), value]));
}
