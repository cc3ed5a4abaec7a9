/** Something with requests to send: an integration, or one of its replays. */
export interface RequestSource {
  /** Degraded sources share a smaller number of permits. */
  isDegraded(): boolean;
  /** The next request; undefined while there is none or none may be sent. */
  next(): (() => Promise<void>) | undefined;
}

/** How long one iteration of the event loop may start requests. */
const maxTurnMs = 5;

/**
 * No source may hold more than a quarter of the free permits. Otherwise endpoints that stop answering at the same time
 * would hold every permit before their failure is known.
 */
const maxFractionOfFree = 1 / 4;

/**
 * Limits the requests in flight of one process, each of which holds a permit, and assigns permits round robin: every
 * source gets its turn, however many requests it has.
 */
export class RequestScheduler {
  readonly #maxInFlight: number;
  readonly #maxDegradedInFlight: number;
  readonly #permitsOf = new Map<RequestSource, number>();
  readonly #normal = new Set<RequestSource>();
  readonly #low = new Set<RequestSource>();
  /** Sources that hold their share of the free permits, with the queue to put them back into. */
  readonly #atShareLimit = new Map<RequestSource, Set<RequestSource>>();
  /** Degraded sources that wait until another degraded one returns a permit. */
  readonly #atDegradedLimit = new Map<RequestSource, Set<RequestSource>>();
  #inFlight = 0;
  #degradedInFlight = 0;
  #isPlanned = false;

  constructor({ maxInFlight, maxDegradedInFlight }: { maxInFlight: number; maxDegradedInFlight: number }) {
    this.#maxInFlight = maxInFlight;
    this.#maxDegradedInFlight = maxDegradedInFlight;
  }

  /** Call it when the source has something to send. */
  schedule(source: RequestSource): void {
    this.#normal.add(source);
    this.#plan();
  }

  /**
   * Call it when the source has something to send with low priority: it gets permits only while no other source needs
   * any.
   */
  scheduleLowPriority(source: RequestSource): void {
    this.#low.add(source);
    this.#plan();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#startRequests();
    });
  }

  #startRequests(): void {
    const endAt = performance.now() + maxTurnMs;
    while (this.#inFlight < this.#maxInFlight) {
      const queue = this.#normal.size > 0 ? this.#normal : this.#low;
      const [source] = queue;
      if (!source) return;
      if (performance.now() > endAt) return this.#plan();
      queue.delete(source);
      this.#startNext(source, queue);
    }
  }

  #startNext(source: RequestSource, queue: Set<RequestSource>): void {
    const isDegraded = source.isDegraded();
    const free = this.#maxInFlight - this.#inFlight;
    if (isDegraded && this.#degradedInFlight >= this.#maxDegradedInFlight) this.#atDegradedLimit.set(source, queue);
    else if ((this.#permitsOf.get(source) ?? 0) >= free * maxFractionOfFree) this.#atShareLimit.set(source, queue);
    else {
      const request = source.next();
      if (!request) return;
      queue.add(source);
      void this.#run(source, request, isDegraded);
    }
  }

  async #run(source: RequestSource, request: () => Promise<void>, isDegraded: boolean): Promise<void> {
    this.#changePermits(source, 1);
    if (isDegraded) this.#degradedInFlight += 1;
    try {
      await request();
    } finally {
      this.#changePermits(source, -1);
      const [longestWaiting = source] = this.#atShareLimit.keys();
      for (const waiting of [source, longestWaiting]) {
        this.#atShareLimit.get(waiting)?.add(waiting);
        this.#atShareLimit.delete(waiting);
      }
      if (isDegraded) {
        this.#degradedInFlight -= 1;
        for (const [waiting, queue] of this.#atDegradedLimit) queue.add(waiting);
        this.#atDegradedLimit.clear();
      }
      this.#plan();
    }
  }

  #changePermits(source: RequestSource, change: 1 | -1): void {
    const permits = (this.#permitsOf.get(source) ?? 0) + change;
    this.#inFlight += change;
    if (permits > 0) this.#permitsOf.set(source, permits);
    else this.#permitsOf.delete(source);
  }
}
