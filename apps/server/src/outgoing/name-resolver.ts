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

interface CachedName {
  addresses: LookupAddress[];
  foundAt: number;
  /** When it is asked for again. */
  until: number;
  hasFailed: boolean;
}

/**
 * The names of the system, asked for rarely: they are looked up in the four threads that write to the disk as well, so
 * two at most at once, one of them at most a name that failed before, and a dead zone keeps nobody waiting for longer
 * than two seconds. Who has an older answer waits for no turn.
 */
export function createNameResolver({
  ask = systemLookup,
  now = () => performance.now(),
}: {
  ask?: Lookup;
  now?: () => number;
} = {}): Lookup {
  const known = new Map<string, CachedName>();
  const asked = new Map<string, Promise<LookupAddress[]>>();
  const waiting: { good: (() => void)[]; failed: (() => void)[] } = { good: [], failed: [] };
  let running = 0;
  let failedRunning = 0;

  function begin(): void {
    while (running < atOnce) {
      const next = waiting.good.shift() ?? (failedRunning === 0 ? waiting.failed.shift() : undefined);
      if (!next) return;
      next();
    }
  }

  function inTurn(host: string): Promise<LookupAddress[]> {
    const hasFailed = known.get(host)?.hasFailed === true;
    return new Promise((resolve) => {
      const work = async () => {
        running += 1;
        if (hasFailed) failedRunning += 1;
        resolve(keep(host, await ask(host).catch((error: NodeJS.ErrnoException) => error)));
        running -= 1;
        if (hasFailed) failedRunning -= 1;
        begin();
      };
      waiting[hasFailed ? 'failed' : 'good'].push(() => void work());
      begin();
    });
  }

  /** While nobody says whether a name is still there, older answers are better than none. */
  function keep(host: string, answer: LookupAddress[] | NodeJS.ErrnoException): LookupAddress[] {
    const before = known.get(host);
    const hasFailed = !Array.isArray(answer) || answer.length === 0;
    const at = now();
    known.delete(host);
    if (!hasFailed) known.set(host, { addresses: answer, foundAt: at, until: at + keptMs, hasFailed });
    else {
      const isUnknown = Array.isArray(answer) || answer.code === 'ENOTFOUND';
      const addresses = isUnknown || !before ? [] : inNeed(before);
      known.set(host, { addresses, foundAt: before?.foundAt ?? at, until: at + failedKeptMs, hasFailed });
    }
    const { addresses } = known.get(host)!;
    const [oldest] = known.keys();
    if (known.size > mostNames) known.delete(oldest!);
    return addresses;
  }

  const inNeed = ({ addresses, foundAt }: CachedName) => (now() - foundAt < keptInNeedMs ? addresses : []);

  return async (host) => {
    if (isIP(host)) return [{ address: host, family: isIP(host) }];
    const kept = known.get(host);
    if (kept && now() < kept.until) return kept.addresses;
    const isFree = running < atOnce;
    let mine = asked.get(host);
    if (!mine) {
      mine = inTurn(host).finally(() => asked.delete(host));
      asked.set(host, mine);
    }
    const older = kept ? inNeed(kept) : [];
    if (older.length > 0 && !isFree) return older;
    return (await inTime(mine)) ?? older;
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
