import type { LogPosition } from './event-log.ts';

/** How far a reader has read: everything up to `pos` except the rows of `gaps`, whose transactions had not ended. */
export interface Cursor {
  readonly pos: number;
  readonly gaps: ReadonlySet<number>;
}

export const noGaps: ReadonlySet<number> = new Set<number>();
/** The most ranges of gaps in a stored position: the newest, because open transactions are near the end. */
const mostRanges = 1000;

/** `<pos>`, or with its gaps `<pos>:<from>-<to>,<from>-<to>`. */
export function formatCursor({ pos, gaps }: Cursor): LogPosition {
  const below = [...gaps].filter((gap) => gap <= pos).sort((a, b) => a - b);
  const ranges: [from: number, to: number][] = [];
  for (const gap of below) {
    const last = ranges.at(-1);
    if (last?.[1] === gap - 1) last[1] = gap;
    else ranges.push([gap, gap]);
  }
  if (ranges.length === 0) return String(pos) as LogPosition;
  const texts = ranges.slice(-mostRanges).map(([from, to]) => `${from}-${to}`);
  return `${pos}:${texts.join(',')}` as LogPosition;
}

export function parseCursor(position: LogPosition): Cursor {
  const [pos = '', ranges] = position.split(':');
  if (ranges === undefined) return { pos: Number(pos), gaps: noGaps };
  const gaps = ranges.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
  return { pos: Number(pos), gaps: new Set(gaps) };
}
