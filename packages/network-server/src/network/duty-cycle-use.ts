import type { Clock } from '../platform/runtime.ts';

/** Airtime that a gateway was ordered to send in a limited sub-band. Negative: given back, because it was not sent. */
export interface OrderedAirtime {
  gatewayID: string;
  /** Hz at which it begins. */
  subBand: number;
  /** Minutes since 1970. */
  minute: number;
  us: number;
}

const minuteMs = 60_000;
/**
 * An hour, the minute under way, and one more: a frame leaves some seconds after it was ordered. So no 60 minutes on
 * the air contain more than these minutes of orders.
 */
const countedMinutes = 62;

/**
 * What gateways were ordered to send in the last hour, minute by minute. Its time continues from the start of the
 * process, whatever happens to the clock. Shared by all network servers of a process.
 */
export class DutyCycleUse {
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs'>;
  readonly #zeroMs: number;
  readonly #gateways = new Map<string, Map<number, Map<number, number>>>();
  readonly #listeners = new Set<(ordered: OrderedAirtime) => void>();
  #prunedAt = 0;

  constructor(clock: Pick<Clock, 'now' | 'monotonicMs'>) {
    this.#clock = clock;
    this.#zeroMs = clock.now().getTime() - clock.monotonicMs();
  }

  minute(): number {
    return Math.floor((this.#zeroMs + this.#clock.monotonicMs()) / minuteMs);
  }

  /** Minutes before this one do not count any more. */
  firstMinute(): number {
    return this.minute() - countedMinutes + 1;
  }

  /** Microseconds in the last hour. */
  usedUs(gatewayID: string, subBand: number): number {
    const first = this.firstMinute();
    let sum = 0;
    for (const [minute, us] of this.#gateways.get(gatewayID)?.get(subBand) ?? []) if (minute >= first) sum += us;
    return sum;
  }

  /** Adds what this process orders; listeners tell others. */
  order(ordered: OrderedAirtime): void {
    this.add(ordered);
    for (const listener of this.#listeners) listener(ordered);
  }

  /** Adds what a peer or an earlier process ordered. */
  add({ gatewayID, subBand, minute, us }: OrderedAirtime): void {
    this.#prune();
    const subBands = this.#gateways.get(gatewayID) ?? new Map<number, Map<number, number>>();
    const minutes = subBands.get(subBand) ?? new Map<number, number>();
    minutes.set(minute, (minutes.get(minute) ?? 0) + us);
    subBands.set(subBand, minutes);
    this.#gateways.set(gatewayID, subBands);
  }

  onOrder(listener: (ordered: OrderedAirtime) => void): void {
    this.#listeners.add(listener);
  }

  /** Once a minute, so that only gateways that send are in memory. */
  #prune(): void {
    const now = this.minute();
    if (this.#prunedAt === now) return;
    this.#prunedAt = now;
    const first = this.firstMinute();
    for (const [gatewayID, subBands] of this.#gateways) {
      for (const [subBand, minutes] of subBands) {
        for (const minute of minutes.keys()) if (minute < first) minutes.delete(minute);
        if (minutes.size === 0) subBands.delete(subBand);
      }
      if (subBands.size === 0) this.#gateways.delete(gatewayID);
    }
  }
}
