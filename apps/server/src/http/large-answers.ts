import { type Operation } from '@hilltop/contract';
import { networkOf } from '../connections/network-of.ts';
import { createQuota } from '../connections/quota.ts';
import { RetryLater } from './errors.ts';

/** Limits the memory of large answers in the whole process and for each address (IPv6: each `/64`). */
export interface LargeAnswers {
  /**
   * Runs `build` once fewer than the limit of long lists are being built. Rejects with code 8 and the seconds to wait
   * when too many calls wait already. Calls other than long lists run at once.
   */
  build: <T>(call: { operation: Operation; request: unknown; address: string }, build: () => Promise<T>) => Promise<T>;
  /**
   * Reserves the bytes of an answer until `sink` closes, whether it was sent or not. Throws code 8 when too many bytes
   * are unsent. Small answers are not counted.
   */
  reserve: (sink: AnswerSink, address: string, bytes: number) => void;
}

/** The destination of an answer: an HTTP response or a gRPC stream. */
export interface AnswerSink {
  readonly closed: boolean;
  once: (event: 'close', listener: () => void) => unknown;
}

export interface LargeAnswerLimits {
  /**
   * Lists that are built at the same time: reading and converting their rows takes several times the bytes of the
   * answer.
   */
  building: { all: number; each: number };
  /** Calls that wait for a build slot. */
  waiting: { all: number; each: number };
  /** Bytes of answers that were built but not sent yet. */
  unsentBytes: { all: number; each: number };
}

const megabyte = 2 ** 20;

const usualLimits: LargeAnswerLimits = {
  building: { all: 8, each: 4 },
  waiting: { all: 512, each: 64 },
  unsentBytes: { all: 96 * megabyte, each: 32 * megabyte },
};

/** A list is long when its request asks for more rows than this. */
const longListRows = 100;
/** Answers below this size are small. */
const smallBytes = 64 * 1024;
const retrySeconds = 1;

const tooMany = () => new RetryLater(retrySeconds, 'large answers under way');

export function createLargeAnswers(limits: LargeAnswerLimits = usualLimits): LargeAnswers {
  const building = createQuota(limits.building);
  const waiting = createQuota(limits.waiting);
  const unsent = createQuota(limits.unsentBytes);
  /** Waiting calls by owner; the owner at the front is served next. */
  const queues = new Map<string, (() => void)[]>();

  /** Resolves when the owner has a build slot. */
  function enter(owner: string): Promise<void> | undefined {
    if (!queues.has(owner) && building.take(owner)) return undefined;
    if (!waiting.take(owner)) throw tooMany();
    return new Promise((resolve) => {
      const queue = queues.get(owner) ?? [];
      queue.push(resolve);
      queues.set(owner, queue);
    });
  }

  /** Gives free slots to waiting calls, one owner after the other. */
  function startWaiting(): void {
    for (const [owner, queue] of [...queues]) {
      if (!building.take(owner)) continue;
      waiting.giveBack(owner);
      queues.delete(owner);
      const start = queue.shift()!;
      if (queue.length > 0) queues.set(owner, queue);
      start();
    }
  }

  async function buildLong<T>(owner: string, build: () => Promise<T>): Promise<T> {
    await enter(owner);
    try {
      return await build();
    } finally {
      building.giveBack(owner);
      startWaiting();
    }
  }

  return {
    build: ({ operation, request, address }, build) =>
      operation.method !== 'GET' || rowsOf(request) <= longListRows ? build() : buildLong(networkOf(address), build),
    reserve: (sink, address, bytes) => {
      if (bytes < smallBytes || sink.closed) return;
      const owner = networkOf(address);
      if (!unsent.take(owner, bytes)) throw tooMany();
      sink.once('close', () => unsent.giveBack(owner, bytes));
    },
  };
}

/** The number of rows that a request asks for; 0 when it does not request a list. */
function rowsOf(request: unknown): number {
  const { limit } = request as { limit?: unknown };
  return typeof limit === 'number' ? limit : 0;
}
