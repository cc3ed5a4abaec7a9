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
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();

  function counterOf(name: string, labels: Record<string, string>): Counter {
    let counter = counters.get(name);
    if (!counter) {
      const help = `${name.replaceAll('_', ' ')}, counted since the start.`;
      counter = new Counter({ name: `hilltop_${name}_total`, help, labelNames: Object.keys(labels), registers });
      counters.set(name, counter);
    }
    return counter;
  }

  function histogramOf(name: string, labels: Record<string, string>): Histogram {
    let histogram = histograms.get(name);
    if (!histogram) {
      const help = `${name.replaceAll('_', ' ')}, since the start.`;
      histogram = new Histogram({
        name: `hilltop_${name}`,
        help,
        labelNames: Object.keys(labels),
        buckets: [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
        registers,
      });
      histograms.set(name, histogram);
    }
    return histogram;
  }

  return {
    count: (name, labels = {}, by = 1) => {
      counterOf(name, labels).inc(labels, by);
      old?.count(name, labels, by);
    },
    total: async (name) => (await counters.get(name)?.get())?.values.reduce((sum, { value }) => sum + value, 0) ?? 0,
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
    observe: (name, labels, seconds) => histogramOf(name, labels).observe(labels, seconds),
    observeCall: (operation, httpStatus, seconds) => calls.observe({ operation, status: httpStatus }, seconds),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
