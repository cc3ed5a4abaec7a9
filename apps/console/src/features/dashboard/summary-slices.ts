import type { DoughnutData, SliceLink } from '../../components/chart/chart-data.ts';
import { dataRateToken } from '../../theme/data-colors.ts';

interface Counts {
  activeCount: number;
  inactiveCount: number;
  neverSeenCount: number;
}

/** The list of each state. */
export type StateLinks = { readonly [state in 'neverSeen' | 'inactive' | 'active']?: SliceLink };

/** Never seen, inactive, active, in the status colours; `links` lead to the lists of them. */
export const states = (
  { neverSeenCount, inactiveCount, activeCount }: Counts,
  links: StateLinks = {},
): DoughnutData => ({
  kind: 'doughnut',
  slices: [
    { label: 'Never seen', value: neverSeenCount, color: '--state-never', link: links.neverSeen },
    { label: 'Inactive', value: inactiveCount, color: '--state-inactive', link: links.inactive },
    { label: 'Active', value: activeCount, color: '--state-active', link: links.active },
  ],
});

/** Devices by the data-rate of their last uplink. */
export const dataRates = (
  drCount: Readonly<Record<string, number>>,
  linkTo: (dr: number) => SliceLink,
): DoughnutData => ({
  kind: 'doughnut',
  slices: Object.entries(drCount)
    .map(([dr, value]) => ({ dr: Number(dr), value }))
    .sort((one, other) => one.dr - other.dr)
    .map(({ dr, value }) => ({ label: `DR${dr}`, value, color: dataRateToken(dr), link: linkTo(dr) })),
});
