import { type LookupAddress, lookup } from 'node:dns';
import { isIP } from 'node:net';

/** The addresses behind a name; none when there are none or nobody says in time. */
export type Lookup = (host: string) => Promise<LookupAddress[]>;

const atOnce = 2;
const keptMs = 30_000;
const failedKeptMs = 5_000;
/** While nobody answers, older answers are better than none. */
const keptInNeedMs = 600_000;
const longestMs = 2_000;
const mostNames = 10_000;

interface Known {
  addresses: LookupAddress[];
  at: number;
}

/**
 * The names of the system, asked for rarely: they are looked up in the four threads that write to the disk as well, so
 * two at most at once, and a dead zone keeps nobody waiting for longer than two seconds.
 */
export function createNames({
  ask = systemLookup,
  now = () => performance.now(),
}: {
  ask?: Lookup;
  now?: () => number;
} = {}): Lookup {
  const known = new Map<string, Known>();
  const asked = new Map<string, Promise<LookupAddress[]>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn(host: string): Promise<LookupAddress[]> {
    if (running < atOnce) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      const addresses = await ask(host).catch(() => []);
      keep(host, { addresses, at: now() });
      return addresses;
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  function keep(host: string, answer: Known): void {
    known.delete(host);
    known.set(host, answer);
    const [oldest] = known.keys();
    if (known.size > mostNames) known.delete(oldest!);
  }

  return async (host) => {
    if (isIP(host)) return [{ address: host, family: isIP(host) }];
    const kept = known.get(host);
    const age = kept ? now() - kept.at : Number.POSITIVE_INFINITY;
    if (kept && age < (kept.addresses.length > 0 ? keptMs : failedKeptMs)) return kept.addresses;
    let mine = asked.get(host);
    if (!mine) {
      mine = inTurn(host).finally(() => asked.delete(host));
      asked.set(host, mine);
    }
    return (await inTime(mine)) ?? (age < keptInNeedMs ? kept!.addresses : []);
  };
}

function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), longestMs).unref();
    void work.then((answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
  });
}

function systemLookup(host: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}
