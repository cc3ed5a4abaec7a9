import { type LookupAddress, lookup } from 'node:dns';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';

/** The addresses of a name; none when it has none or the lookup takes too long. */
export type Lookup = (host: string) => Promise<LookupAddress[]>;

const maxLookups = 2;
const cacheMs = 30_000;
const failureCacheMs = 5_000;
/** While lookups fail, addresses of this age are still used. */
const staleMs = 600_000;
const timeoutMs = 2_000;
const maxNames = 10_000;

interface CachedName {
  addresses: LookupAddress[];
  /** When the addresses were found. */
  foundAt: number;
  /** When the name is looked up again. */
  expiresAt: number;
  hasFailed: boolean;
}

/**
 * Caches the lookups of the system. They run in the four threads that also write to the disk: at most two at a time, at most
 * one of them for a name that failed before, and no caller waits longer than two seconds. A caller with stale addresses
 * does not wait for a free thread.
 */
export function createNameResolver({
  ask = systemLookup,
  now = () => performance.now(),
}: {
  ask?: Lookup;
  now?: () => number;
} = {}): Lookup {
  const cache = new LRUCache<string, CachedName>({ max: maxNames });
  const lookups = new Map<string, Promise<LookupAddress[]>>();
  const queues: { normal: (() => void)[]; failed: (() => void)[] } = { normal: [], failed: [] };
  let running = 0;
  let failedRunning = 0;

  function startQueued(): void {
    while (running < maxLookups) {
      const start = queues.normal.shift() ?? (failedRunning === 0 ? queues.failed.shift() : undefined);
      if (!start) return;
      start();
    }
  }

  function enqueue(host: string): Promise<LookupAddress[]> {
    const hasFailed = cache.get(host)?.hasFailed === true;
    return new Promise((resolve) => {
      const start = async () => {
        running += 1;
        if (hasFailed) failedRunning += 1;
        resolve(store(host, await ask(host).catch((error: NodeJS.ErrnoException) => error)));
        running -= 1;
        if (hasFailed) failedRunning -= 1;
        startQueued();
      };
      queues[hasFailed ? 'failed' : 'normal'].push(() => void start());
      startQueued();
    });
  }

  /** After a failed lookup the addresses found before stay in use, unless the name does not exist any more. */
  function store(host: string, result: LookupAddress[] | NodeJS.ErrnoException): LookupAddress[] {
    const before = cache.get(host);
    const at = now();
    const hasFailed = !Array.isArray(result) || result.length === 0;
    const isUnknown = Array.isArray(result) || result.code === 'ENOTFOUND';
    const addresses = hasFailed ? (isUnknown || !before ? [] : staleAddresses(before)) : result;
    cache.set(host, {
      addresses,
      foundAt: hasFailed ? (before?.foundAt ?? at) : at,
      expiresAt: at + (hasFailed ? failureCacheMs : cacheMs),
      hasFailed,
    });
    return addresses;
  }

  const staleAddresses = ({ addresses, foundAt }: CachedName) => (now() - foundAt < staleMs ? addresses : []);

  return async (host) => {
    if (isIP(host)) return [{ address: host, family: isIP(host) }];
    const cached = cache.get(host);
    if (cached && now() < cached.expiresAt) return cached.addresses;
    const isThreadFree = running < maxLookups;
    let pending = lookups.get(host);
    if (!pending) {
      pending = enqueue(host).finally(() => lookups.delete(host));
      lookups.set(host, pending);
    }
    const stale = cached ? staleAddresses(cached) : [];
    if (stale.length > 0 && !isThreadFree) return stale;
    return (await withTimeout(pending)) ?? stale;
  };
}

function withTimeout<T>(work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), timeoutMs).unref();
    void work.then((result) => {
      clearTimeout(timer);
      resolve(result);
    });
  });
}

function systemLookup(host: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}
