/** The most steps of the search for the smallest set: a fraction of a second. */
const mostLooks = 100_000;

/**
 * The fewest gateways so that each device has one of its choices among them. The exact answer takes too long where many
 * gateways overlap; then the best set found so far is the result.
 * @param choices per device: each of these gateways reaches it
 */
export function smallestSet(choices: readonly (readonly string[])[]): string[] {
  const different = new Map(choices.map((choice) => [[...choice].sort().join(), new Set(choice)]));
  different.delete('');
  const open = [...different.values()];
  let best = greedySet(open);
  let looks = 0;

  function search(left: readonly ReadonlySet<string>[], chosen: readonly string[]): void {
    if (left.length === 0) best = [...chosen];
    looks += left.length;
    if (left.length === 0 || chosen.length + 1 >= best.length || looks > mostLooks) return;
    const tightest = left.reduce((one, other) => (other.size < one.size ? other : one));
    for (const gateway of tightest) search(without(left, gateway), [...chosen, gateway]);
  }

  search(open, []);
  return best;
}

/** Repeatedly chooses the gateway that serves most of the remaining devices. */
function greedySet(open: readonly ReadonlySet<string>[]): string[] {
  const chosen: string[] = [];
  for (let left = open; left.length > 0; ) {
    const served = new Map<string, number>();
    for (const choice of left) for (const gateway of choice) served.set(gateway, (served.get(gateway) ?? 0) + 1);
    const [most] = [...served].reduce((one, other) => (other[1] > one[1] ? other : one));
    chosen.push(most);
    left = without(left, most);
  }
  return chosen;
}

function without(left: readonly ReadonlySet<string>[], gateway: string): ReadonlySet<string>[] {
  return left.filter((choice) => !choice.has(gateway));
}
