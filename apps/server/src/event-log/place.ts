import type { LogPosition } from './event-log.ts';

/** What somebody has read: all up to `pos` but the rows of `gaps`, whose transactions had not ended. */
export interface Place {
  readonly pos: number;
  readonly gaps: ReadonlySet<number>;
}

export const noGaps: ReadonlySet<number> = new Set<number>();
/** A position names no more gaps than these; beyond, it stands before the first of them. */
const mostGaps = 100;

/** `<pos>`, or `<pos>:<gap>,<gap>`. */
export function toPosition({ pos, gaps }: Place): LogPosition {
  const below = [...gaps].filter((gap) => gap <= pos).sort((a, b) => a - b);
  if (below.length === 0) return String(pos) as LogPosition;
  if (below.length > mostGaps) return String(below[0]! - 1) as LogPosition;
  return `${pos}:${below.join(',')}` as LogPosition;
}

export function toPlace(position: LogPosition): Place {
  const [pos = '', gaps = ''] = position.split(':');
  return { pos: Number(pos), gaps: gaps === '' ? noGaps : new Set(gaps.split(',').map(Number)) };
}
