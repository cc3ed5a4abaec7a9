import type { Operation, StatusName } from '@hilltop/contract';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { createOldMetrics } from './old-metrics.ts';

/** The content of `/metrics`, in the text format of Prometheus. Names get the prefix `hilltop_`. */
export interface Metrics {
  /** Adds one (or `by`) to a counter, which is created at its first use. Its name gets the suffix `_total`. */
  count: (name: string, labels?: Record<string, string>, by?: number) => void;
  /** The total of a counter over all labels. */
  total: (name: string) => Promise<number>;
  /** A value that is read for each scrape. */
  gauge: (name: string, help: string, read: () => number) => void;
  /** Several values, one for each value of the label. */
  gauges: (name: string, help: string, label: string, read: () => ReadonlyMap<string, number>) => void;
  /** Values with several labels or none; a scrape waits for them. */
  labeledGauges: (
    name: string,
    help: string,
    labels: readonly string[],
    read: () => Promise<readonly (readonly [labels: Record<string, string>, value: number])[]>,
  ) => void;
  /** A duration, in a histogram that is created at its first use. */
  observe: (name: string, labels: Record<string, string>, seconds: number) => void;
  /**
   * Call it when a call of the API begins, and the returned function when it ends. Counted only under the old names.
   */
  beginCall: (operation: Operation) => (status: StatusName) => void;
  observeCall: (operation: string, httpStatus: number, seconds: number) => void;
  text: () => Promise<string>;
  contentType: string;
}

/**
 * Gauges with the suffix of counters, which promtool refuses; `nodejs_active_handles` and so on contain the same by
 * type.
 */
const sumsOfGauges = ['active_resources', 'active_handles', 'active_requests'];

/** `oldNames`: also provides the metrics under the names that dashboards of version 3 read. */
export function createMetrics({ oldNames = false } = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const old = oldNames ? createOldMetrics(registry) : undefined;
  collectDefaultMetrics({ register: registry, prefix: 'hilltop_' });
  for (const name of sumsOfGauges) registry.removeSingleMetric(`hilltop_nodejs_${name}_total`);
  const calls = new Histogram({
    name: 'hilltop_api_call_seconds',
    help: 'Duration of API calls.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const instruments = new Instruments(registers);

  return {
    count: (name, labels = {}, by = 1) => {
      instruments.counter(name, labels).inc(labels, by);
      old?.count(name, labels, by);
    },
    total: (name) => instruments.total(name),
    beginCall: (operation) => old?.begin(operation) ?? (() => undefined),
    gauge: (name, help, read) => {
      const gauge: Gauge = new Gauge({
        name: `hilltop_${name}`,
        help,
        registers,
        collect: () => gauge.set(read()),
      });
    },
    gauges: (name, help, label, read) => {
      const gauge: Gauge = new Gauge({
        name: `hilltop_${name}`,
        help,
        labelNames: [label],
        registers,
        collect: () => {
          gauge.reset();
          for (const [value, number] of read()) gauge.set({ [label]: value }, number);
        },
      });
    },
    labeledGauges: (name, help, labelNames, read) => {
      const gauge: Gauge = new Gauge({
        name: `hilltop_${name}`,
        help,
        labelNames: [...labelNames],
        registers,
        collect: async () => {
          const values = await read();
          gauge.reset();
          for (const [labels, value] of values) gauge.set(labels, value);
        },
      });
    },
    observe: (name, labels, seconds) => instruments.histogram(name, labels).observe(labels, seconds),
    observeCall: (operation, httpStatus, seconds) => calls.observe({ operation, status: httpStatus }, seconds),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** Counters and histograms, each created at its first use. */
class Instruments {
  readonly #counters = new Map<string, Counter>();
  readonly #histograms = new Map<string, Histogram>();
  readonly #registers: Registry[];

  constructor(registers: Registry[]) {
    this.#registers = registers;
  }

  counter(name: string, labels: Record<string, string>): Counter {
    let counter = this.#counters.get(name);
    if (!counter) {
      counter = new Counter({
        name: `hilltop_${name}_total`,
        help: `${name.replaceAll('_', ' ')}, counted since the start.`,
        labelNames: Object.keys(labels),
        registers: this.#registers,
      });
      this.#counters.set(name, counter);
    }
    return counter;
  }

  /** The sum of a counter over all labels. */
  async total(name: string): Promise<number> {
    const counted = await this.#counters.get(name)?.get();
    return counted?.values.reduce((sum, { value }) => sum + value, 0) ?? 0;
  }

  histogram(name: string, labels: Record<string, string>): Histogram {
    let histogram = this.#histograms.get(name);
    if (!histogram) {
      histogram = new Histogram({
        name: `hilltop_${name}`,
        help: `${name.replaceAll('_', ' ')}, since the start.`,
        labelNames: Object.keys(labels),
        buckets: [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
        registers: this.#registers,
      });
      this.#histograms.set(name, histogram);
    }
    return histogram;
  }
}
