import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { nativeMemory } from './native-memory.ts';

const megabyte = 2 ** 20;
const lookEveryMs = 1_000;
/** The share of one processor, between two checks, below which the server counts as idle. */
const restShare = 0.05;
/**
 * When a collection is due: the growth since the last one, and the number of consecutive idle checks. A collection
 * blocks the server for 0.1 to 0.3 s and drops compiled code, so after a load it waits until nobody is likely to
 * notice.
 */
const afterStart = { growthMB: 24, restfulLooks: 1 };
const afterLoad = { growthMB: 48, restfulLooks: 10 };

/** The resources that the process has used so far. */
export interface Use {
  atMs: number;
  processorMs: number;
  heapMB: number;
}

/** The ways to return memory. */
export interface Ways {
  /** Collects the memory of V8. */
  collect: () => void;
  /** Trims all other memory, which takes a few milliseconds. */
  trim: () => void;
}

/**
 * Checks the process on each call. When idle, it collects if the heap has grown since the last collection, and trims
 * then and at the beginning of each idle time.
 */
export function releaseWhenIdle(use: () => Use, { collect, trim }: Ways): () => void {
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
 * Returns memory of the start and of every larger load to the system, up to some hundred MB, which V8 and the C library
 * would keep. `forget` drops caches of data that can be read again.
 */
export function releaseMemory(forget: () => void): void {
  const gc = exposedGc();
  const native = nativeMemory();
  const look = releaseWhenIdle(useOfProcess, {
    collect: () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
    trim: () => {
      forget();
      native?.trim();
    },
  });
  setInterval(look, lookEveryMs).unref();
}

/**
 * Lets the heap grow by 120 % of what is in use between two major collections. By default V8 lets it grow to four times
 * its size, which at 4,000 uplinks per second were 350 MB of garbage. Call it after the start: V8 refuses compiled code that
 * it stored with another value, and the start would compile all of Node's own modules.
 */
export function limitGarbage(): void {
  setFlagsFromString('--heap-growing-percent=120');
}

/**
 * The function that `--expose-gc` adds. With that option in the command, V8 would refuse the compiled code of Node's own
 * modules, and the start would compile all of them: so the flag is set for a moment only.
 */
function exposedGc(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as NodeJS.GCFunction;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}

function useOfProcess(): Use {
  const { user, system } = process.cpuUsage();
  return {
    atMs: performance.now(),
    processorMs: (user + system) / 1000,
    heapMB: getHeapStatistics().total_heap_size / megabyte,
  };
}
