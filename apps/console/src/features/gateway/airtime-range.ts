import { useAddressRange } from '../../components/chart/use-address-range.ts';
import { useNow } from '../../components/last-seen/last-seen.tsx';

const hourMs = 3_600_000;

/** The ranges of airtime; the first one is the default. */
export const airtimeRanges = { '24h': '24 hours', '7d': '7 days', '90d': '90 days' } as const;
export type AirtimeRange = keyof typeof airtimeRanges;
const hours: Record<AirtimeRange, number> = { '24h': 24, '7d': 7 * 24, '90d': 90 * 24 };

/** The range in the address of the page, among those that it offers, and its request. It begins and ends with an hour. */
export function useAirtimeRange(offered: readonly AirtimeRange[]) {
  const { range, choose } = useAddressRange(offered, '24h');
  const endMs = Math.ceil(useNow() / hourMs) * hourMs;
  const period = {
    start: new Date(endMs - hours[range] * hourMs).toISOString(),
    end: new Date(endMs).toISOString(),
  };
  return { range, choose, period };
}
