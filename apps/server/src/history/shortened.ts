import { dayMs } from './series-day.ts';
import type { HistorySettings } from './settings.ts';
import type { HistoryStores } from './stores.ts';

export type HistoryLimits = Pick<HistorySettings, 'historyDays' | 'historySize'>;

/** Events are removed in pieces, after which a little room is left. */
const fullShare = 0.9;

/** Since when the history has no events because of its size; undefined when it has those of all days. */
export async function shortenedSince(
  { blocks }: Pick<HistoryStores, 'blocks'>,
  { historyDays, historySize }: HistoryLimits,
  now: number,
): Promise<number | undefined> {
  const state = await blocks?.read.selectFrom('history_state').select('bytes').executeTakeFirst();
  if (!state || state.bytes < fullShare * historySize) return undefined;
  const oldest = await blocks!.read
    .selectFrom('event_block')
    .select('to_at')
    .orderBy('to_at')
    .limit(1)
    .executeTakeFirst();
  const isYoung = oldest && (historyDays === 0 || oldest.to_at > now - (historyDays - 1) * dayMs);
  return isYoung ? oldest.to_at : undefined;
}
