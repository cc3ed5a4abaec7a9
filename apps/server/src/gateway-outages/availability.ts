import { bucketStart, nextBucket } from '../statistics/interval.ts';

/** A time in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** In milliseconds. What is left of the part is not known. */
export interface AvailabilityPart {
  readonly start: number;
  readonly online: number;
  readonly offline: number;
  readonly stopped: number;
}

export interface AvailabilityRequest extends Span {
  /** Null: nothing is known yet. */
  readonly knownFrom: number | null;
  readonly now: number;
  /** In the order of time, without overlaps. */
  readonly outages: readonly Span[];
  /** Likewise: when no server was running. */
  readonly stops: readonly Span[];
}

/** The days or hours of a period. The time of a stop is no outage, whatever is stored. */
export function availabilityOf(
  { from, to, knownFrom, now, outages, stops }: AvailabilityRequest,
  interval: 'HOUR' | 'DAY',
): AvailabilityPart[] {
  const known = { from: Math.max(from, knownFrom ?? Number.POSITIVE_INFINITY), to: Math.min(to, now) };
  const parts: AvailabilityPart[] = [];
  for (let start = bucketStart(interval, from); start < to; ) {
    const end = nextBucket(interval, start);
    const within = overlapOf(known, { from: start, to: end });
    const stopped = within ? sumWithin(stops, within) : 0;
    const offline = within ? offlineWithin(outages, stops, within) : 0;
    const length = within ? within.to - within.from : 0;
    parts.push({ start, online: length - stopped - offline, offline, stopped });
    start = end;
  }
  return parts;
}

/** From 0 to 1; undefined when nothing is known. */
export function onlineShareOf(parts: readonly AvailabilityPart[]): number | undefined {
  const online = parts.reduce((sum, part) => sum + part.online, 0);
  const offline = parts.reduce((sum, part) => sum + part.offline, 0);
  return online + offline === 0 ? undefined : online / (online + offline);
}

function overlapOf(one: Span, other: Span): Span | undefined {
  const [from, to] = [Math.max(one.from, other.from), Math.min(one.to, other.to)];
  return from < to ? { from, to } : undefined;
}

function sumWithin(spans: readonly Span[], within: Span): number {
  return spans.reduce((sum, span) => {
    const overlap = overlapOf(span, within);
    return overlap ? sum + overlap.to - overlap.from : sum;
  }, 0);
}

function offlineWithin(outages: readonly Span[], stops: readonly Span[], within: Span): number {
  return outages.reduce((sum, outage) => {
    const overlap = overlapOf(outage, within);
    return overlap ? sum + overlap.to - overlap.from - sumWithin(stops, overlap) : sum;
  }, 0);
}
