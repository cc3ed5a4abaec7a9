/** Values of a counter, as the series operation returns them. */
export interface CounterSeries {
  readonly field: string;
  /** Milliseconds since 1970. */
  readonly at: readonly number[];
  readonly count: readonly number[];
  readonly mean: readonly number[];
}

/** The ranges of the strip in days. */
export const stripDays = [1, 7, 30] as const;
export type StripDays = (typeof stripDays)[number];

/** What happened in an hour or a day. */
export interface StripColumn {
  readonly fromMs: number;
  readonly toMs: number;
  readonly uplinks: number;
  readonly lost: number;
  readonly errors: number;
  readonly joins: number;
}

/** The fields that the strip and the facts read. */
export const stripFields = ['@uplinks', '@lost', '@stopped', '@errors', '@joins', '@resets', '@airtime'];

const hourMs = 3_600_000;

const sums = (series: readonly CounterSeries[], field: string): readonly (readonly [atMs: number, sum: number])[] => {
  const found = series.find((one) => one.field === field);
  return (found?.at ?? []).map((atMs, at) => [atMs, (found?.count[at] ?? 0) * (found?.mean[at] ?? 0)] as const);
};

export const totalOf = (series: readonly CounterSeries[], field: string): number =>
  Math.round(sums(series, field).reduce((total, [, sum]) => total + sum, 0));

/** The days since the first uplink of a range, at least one: a mean per day leaves out the days before it. */
export function daysReceived(series: readonly CounterSeries[], endMs: number): number {
  const received = sums(series, '@uplinks').filter(([, sum]) => sum > 0);
  const firstMs = Math.min(endMs, ...received.map(([atMs]) => atMs));
  return Math.max(1, (endMs - firstMs) / (24 * hourMs));
}

/** The beginnings of the columns, in the time of the browser: hours, or days of more than a week. */
function beginningsOf(days: StripDays, nowMs: number): number[] {
  const begin = new Date(nowMs);
  const isHours = days <= 7;
  begin.setHours(isHours ? begin.getHours() : 0, 0, 0, 0);
  const count = isHours ? days * 24 : days;
  return Array.from({ length: count }, (_, at) => {
    const one = new Date(begin);
    if (isHours) one.setTime(begin.getTime() - (count - 1 - at) * hourMs);
    else one.setDate(begin.getDate() - (count - 1 - at));
    return one.getTime();
  });
}

/** When the first column of the strip begins. */
export const stripStartMs = (days: StripDays, nowMs: number): number => beginningsOf(days, nowMs)[0] ?? nowMs;

/** The points that give steps of one hour; the server begins one step before the range. */
export const hourlyPoints = (startMs: number, endMs: number): number => Math.ceil((endMs - startMs) / hourMs) + 1;

export function columnsOf(series: readonly CounterSeries[], days: StripDays, nowMs: number): StripColumn[] {
  const beginnings = beginningsOf(days, nowMs);
  const columns = beginnings.map((fromMs, at) => ({
    fromMs,
    toMs: beginnings[at + 1] ?? nowMs,
    uplinks: 0,
    lost: 0,
    errors: 0,
    joins: 0,
  }));
  const add = (field: string, name: 'uplinks' | 'lost' | 'errors' | 'joins') => {
    for (const [atMs, sum] of sums(series, field)) {
      const column = columns.findLast(({ fromMs }) => fromMs <= atMs);
      if (column) column[name] += sum;
    }
  };
  add('@uplinks', 'uplinks');
  add('@lost', 'lost');
  add('@stopped', 'lost');
  add('@errors', 'errors');
  add('@joins', 'joins');
  return columns;
}

/** The usual time between uplinks: the median of the gaps; undefined for fewer than three. */
export function usualGapMs(timesMs: readonly number[]): number | undefined {
  const sorted = timesMs.toSorted((a, b) => a - b);
  const gaps = sorted.slice(1).map((atMs, at) => atMs - (sorted[at] ?? atMs));
  if (gaps.length < 2) return undefined;
  return gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)];
}
