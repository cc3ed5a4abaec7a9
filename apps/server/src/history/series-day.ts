import { packText, unpackText } from './block.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The values of a field in a time. */
export interface ValueStats {
  count: number;
  sum: number;
  min: number;
  max: number;
}

/** The statistics of one day by field and hour (UTC). */
export type SeriesDay = Map<string, (ValueStats | undefined)[]>;

export const statsOf = (value: number): ValueStats => ({ count: 1, sum: value, min: value, max: value });

/** Adds the second to the first. */
export function addStats(stats: ValueStats, { count, sum, min, max }: ValueStats): void {
  stats.count += count;
  stats.sum += sum;
  stats.min = Math.min(stats.min, min);
  stats.max = Math.max(stats.max, max);
}

export const dayOf = (at: number): number => Math.floor(at / dayMs);

export function addToDay(day: SeriesDay, at: number, field: string, value: number): void {
  let hours = day.get(field);
  if (!hours) day.set(field, (hours = []));
  const hour = Math.floor((at % dayMs) / hourMs);
  const stats = hours[hour];
  if (!stats) {
    hours[hour] = statsOf(value);
    return;
  }
  stats.count += 1;
  stats.sum += value;
  if (value < stats.min) stats.min = value;
  if (value > stats.max) stats.max = value;
}

/** Columns, because equal and similar numbers beside each other are packed best. */
type PackedField = [field: string, hours: number[], counts: number[], sums: number[], mins: number[], maxs: number[]];

/** Sums of decimal fractions end in digits that mean nothing. */
const meaningfulDigits = 14;

export function packDay(day: SeriesDay): Uint8Array {
  const packed = Array.from(day, ([field, hours]): PackedField => {
    const columns: PackedField = [field, [], [], [], [], []];
    for (const [hour, stats] of hours.entries()) {
      if (!stats) continue;
      columns[1].push(hour);
      columns[2].push(stats.count);
      columns[3].push(Number(stats.sum.toPrecision(meaningfulDigits)));
      columns[4].push(stats.min);
      columns[5].push(stats.max);
    }
    return columns;
  });
  return packText(JSON.stringify(packed));
}

export function unpackDay(bytes: Uint8Array): SeriesDay {
  const packed = JSON.parse(unpackText(bytes)) as PackedField[];
  return new Map(
    packed.map(([field, hours, counts, sums, mins, maxs]) => {
      const stats: (ValueStats | undefined)[] = [];
      for (const [index, hour] of hours.entries())
        stats[hour] = { count: counts[index]!, sum: sums[index]!, min: mins[index]!, max: maxs[index]! };
      return [field, stats];
    }),
  );
}
