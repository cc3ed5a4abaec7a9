import { formatLong } from './dates.ts';

/** "Nov 21, 2026, 4:20 PM", or "Never". */
export function LongDate({ at }: { at: string | null | undefined }) {
  return at ? <time dateTime={at}>{formatLong(at)}</time> : <span>Never</span>;
}
