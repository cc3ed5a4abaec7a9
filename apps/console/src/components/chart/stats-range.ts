import { type StatsWindow, useStatsWindow } from './stats-window.ts';
import { useAddressRange } from './use-address-range.ts';

/** The time ranges of charts; hourly up to a week. The last one is the default. */
export const ranges = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' } as const;
export type Range = keyof typeof ranges;
const usual: Range = '30d';

/** The range of the charts of a page, stored in the URL: `?range=24h`. */
export const useRange = () => useAddressRange(Object.keys(ranges) as Range[], usual);

/** The request for the range of the page. `usualDays` is how many days before today the default range covers. */
export function useStatsRange(usualDays: number): StatsWindow {
  const { range } = useRange();
  return useStatsWindow(range === '30d' ? { days: usualDays } : { hours: range === '7d' ? 7 * 24 : 24 });
}
