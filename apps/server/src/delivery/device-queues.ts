import type { LoggedEvent } from '../event-log/event-log.ts';

/** An open event with the state of its delivery. */
export interface QueuedEvent {
  readonly event: LoggedEvent;
  /** How many events were opened before this one. */
  readonly readIndex: number;
  attempts: number;
  /** Completed parts of the delivery, such as one of several addresses. */
  doneParts: readonly string[];
  /** How often the endpoint failed on this event while it accepted others. */
  soleFailures: number;
  /** The endpoint failed on a batch with this event: later requests contain no other event. */
  isSentAlone: boolean;
}

/**
 * The live events of a device (`events`, the oldest first) or its retries (`retryCount`), with one request at a time.
 * With `keepOrder` only one of the two queues of a device sends.
 */
export interface DeviceQueue {
  readonly devEUI: string;
  /** Live events, in memory. */
  readonly events: QueuedEvent[];
  /** Retries are rows in the database, and only counted here. */
  retryCount: number;
  /** A request of this device is under way. */
  isBusy: boolean;
  /** Wall clock (ms) before which nothing is sent; 0: no delay. */
  notBefore: number;
}

/** Device queues by readiness: ready, delayed or busy. Empty ones are dropped. */
export class DeviceQueues {
  readonly #queues = new Map<string, DeviceQueue>();
  readonly #ready = new Set<DeviceQueue>();
  readonly #delayed = new Set<DeviceQueue>();

  find(devEUI: string): DeviceQueue | undefined {
    return this.#queues.get(devEUI);
  }

  findOrCreate(devEUI: string): DeviceQueue {
    let queue = this.#queues.get(devEUI);
    if (!queue) {
      queue = { devEUI, events: [], retryCount: 0, isBusy: false, notBefore: 0 };
      this.#queues.set(devEUI, queue);
    }
    return queue;
  }

  push(event: QueuedEvent): void {
    const queue = this.findOrCreate(event.event.devEUI);
    queue.events.push(event);
    if (queue.events.length === 1) this.update(queue);
  }

  /** Removes a completed event. */
  remove({ event }: QueuedEvent): void {
    const events = this.#queues.get(event.devEUI)?.events ?? [];
    const index = events.findIndex((queued) => queued.event === event);
    if (index >= 0) events.splice(index, 1);
  }

  /** The first queue that may send now, if it `isEligible`; it is busy until it is released. */
  acquire(isEligible: (queue: DeviceQueue) => boolean = () => true): DeviceQueue | undefined {
    const [queue] = this.#ready;
    if (!queue || !isEligible(queue)) return undefined;
    this.#ready.delete(queue);
    queue.isBusy = true;
    return queue;
  }

  release(queue: DeviceQueue): void {
    queue.isBusy = false;
    this.update(queue);
  }

  /** Sorts a queue by its readiness after its events or its delay have changed. */
  update(queue: DeviceQueue): void {
    if (queue.isBusy) return;
    this.#ready.delete(queue);
    this.#delayed.delete(queue);
    if (queue.events.length === 0 && queue.retryCount === 0) this.#queues.delete(queue.devEUI);
    else if (queue.notBefore > 0) this.#delayed.add(queue);
    else this.#ready.add(queue);
  }

  /** Makes queues ready whose delay has ended; returns whether any queue is ready. */
  promoteDue(now: number): boolean {
    for (const queue of this.#delayed)
      if (queue.notBefore <= now) {
        queue.notBefore = 0;
        this.update(queue);
      }
    return this.#ready.size > 0;
  }

  clearDelays(): void {
    for (const queue of this.#queues.values()) {
      queue.notBefore = 0;
      this.update(queue);
    }
  }

  /** When the next delay ends; infinite without delays. */
  nextDueAt(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { notBefore } of this.#queues.values()) if (notBefore > 0) next = Math.min(next, notBefore);
    return next;
  }

  all(): Iterable<DeviceQueue> {
    return this.#queues.values();
  }
}
