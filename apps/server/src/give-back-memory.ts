import { getHeapStatistics } from 'node:v8';

const megabyte = 2 ** 20;
const lookEveryMs = 1_000;
/** Of one processor, between two looks: a server with less to do is at rest. */
const restShare = 0.05;
/** Growth that is worth a collection. */
const leastMB = 24;
/** Loads that come and go shall not cost a collection each. */
const leastApartMs = 15_000;

/** What the process has taken of its machine so far. */
export interface Use {
  atMs: number;
  processorMs: number;
  heapMB: number;
}

/** Looks at the process each time it is called, and collects at rest when the heap has grown since it last did. */
export function collectorAtRest(use: () => Use, collect: () => void): () => void {
  let before = use();
  let left = { heapMB: 0, untilMs: 0 };
  return () => {
    const now = use();
    const share = (now.processorMs - before.processorMs) / (now.atMs - before.atMs);
    before = now;
    if (share > restShare || now.heapMB < left.heapMB + leastMB || now.atMs < left.untilMs) return;
    collect();
    left = { heapMB: use().heapMB, untilMs: now.atMs + leastApartMs };
  };
}

/**
 * Returns to the system what the start and every larger load left behind, up to some hundred MB: V8 keeps it while
 * little happens. Takes some 50 ms, so only at rest. Needs `--expose-gc`, does nothing without.
 */
export function giveBackMemory(): void {
  const { gc } = globalThis;
  if (!gc) return;
  const look = collectorAtRest(useOfProcess, () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }));
  setInterval(look, lookEveryMs).unref();
}

function useOfProcess(): Use {
  const { user, system } = process.cpuUsage();
  return {
    atMs: performance.now(),
    processorMs: (user + system) / 1000,
    heapMB: getHeapStatistics().total_heap_size / megabyte,
  };
}
