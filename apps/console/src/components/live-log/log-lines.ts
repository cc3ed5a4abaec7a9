import type { LogKind } from './log-kind.ts';
import { compareOrder } from './log-order.ts';
import type { LogEntry } from './log-store.ts';
import type { LogGap } from './stored-part.ts';

/** What a row of the log shows: an entry, or a text between two entries. */
export type LogLine<T> =
  | { readonly type: 'entry'; readonly key: string; readonly entry: LogEntry<T> }
  | { readonly type: 'day'; readonly key: string; readonly text: string }
  | { readonly type: 'notice'; readonly key: string; readonly text: string }
  | { readonly type: 'gap'; readonly key: string };

const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', month: 'long', day: 'numeric' });

const midnightBefore = (ms: number) => new Date(ms).setHours(0, 0, 0, 0);

/** The rows of the entries, the newest first, with a divider where the day changes and where items are missing. */
export function linesOf<T>(
  entries: readonly LogEntry<T>[],
  { noticeOf }: Pick<LogKind<T>, 'noticeOf'>,
  gap: LogGap | undefined,
): LogLine<T>[] {
  const lines: LogLine<T>[] = [];
  let dayStart = Number.NEGATIVE_INFINITY;
  let hasGap = gap === undefined;
  for (const entry of entries) {
    const { key, item, order } = entry;
    if (!hasGap && compareOrder(order, gap!.order) <= 0) {
      lines.push({ type: 'gap', key: 'gap' });
      hasGap = true;
    }
    if (order[0] < dayStart || lines.length === 0) {
      if (lines.length > 0) lines.push({ type: 'day', key: `day-${key}`, text: day.format(order[0]) });
      dayStart = midnightBefore(order[0]);
    }
    lines.push({ type: 'entry', key, entry });
    const notice = noticeOf?.(item);
    if (notice !== undefined) lines.push({ type: 'notice', key: `notice-${key}`, text: notice });
  }
  if (!hasGap) lines.push({ type: 'gap', key: 'gap' });
  return lines;
}
