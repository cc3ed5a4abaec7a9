import { getHeapStatistics } from 'node:v8';
import { nativeMemory } from './native-memory.ts';

const megabyte = 2 ** 20;
const lookEveryMs = 1_000;
/** Of one processor, between two looks: a server with less to do is at rest. */
const restShare = 0.05;
/**
 * When a collection is due: so much growth since the last one, and so many looks at rest in a row. A collection stops
 * the server for 0.1 to 0.3 s and throws compiled code away: after a load it waits until nobody is likely to notice.
 */
const afterStart = { growthMB: 24, restfulLooks: 1 };
const afterLoad = { growthMB: 48, restfulLooks: 10 };

/** What the process has taken of its machine so far. */
export interface Use {
  atMs: number;
  processorMs: number;
  heapMB: number;
}

/** The ways in which memory is given back. */
export interface Ways {
  /** What V8 holds. */
  collect: () => void;
  /** What everything else holds, which takes a few milliseconds. */
  trim: () => void;
}

/**
 * Looks at the process each time it is called. At rest it collects when the heap has grown since it last did, and trims
 * then and when each rest begins.
 */
export function giverAtRest(use: () => Use, { collect, trim }: Ways): () => void {
  let before = use();
  let leftMB = 0;
  let restfulLooks = 0;
  let due = afterStart;
  return () => {
    const now = use();
    const share = (now.processorMs - before.processorMs) / (now.atMs - before.atMs);
    before = now;
    restfulLooks = share > restShare ? 0 : restfulLooks + 1;
    if (restfulLooks < due.restfulLooks) return;
    const hasGrown = now.heapMB >= leftMB + due.growthMB;
    if (!hasGrown && restfulLooks > due.restfulLooks) return;
    if (hasGrown) {
      collect();
      leftMB = use().heapMB;
      restfulLooks = 0;
      due = afterLoad;
    }
    trim();
  };
}

/**
 * Returns to the system what the start and every larger load left behind, up to some hundred MB: V8 and the C library
 * keep it while little happens. Needs `--expose-gc` for what V8 holds. `forget` has others let go of what they can read
 * again.
 */
export function giveBackMemory(forget: () => void): void {
  const { gc } = globalThis;
  const native = nativeMemory();
  const look = giverAtRest(useOfProcess, {
    collect: () => gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
    trim: () => {
      forget();
      native?.trim();
    },
  });
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
