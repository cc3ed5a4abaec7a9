import type { DoughnutData } from '../../components/chart/chart-data.ts';

interface Counts {
  activeCount: number;
  inactiveCount: number;
  neverSeenCount: number;
}

/** Never seen, inactive, active, in the status colours. */
export const states = ({ neverSeenCount, inactiveCount, activeCount }: Counts): DoughnutData => ({
  kind: 'doughnut',
  slices: [
    { label: 'Never seen', value: neverSeenCount, color: '#ffb300' },
    { label: 'Inactive', value: inactiveCount, color: '#e5484d' },
    { label: 'Active', value: activeCount, color: '#30a46c' },
  ],
});

/** By data-rate number, DR0 to DR14. */
const colors =
  'ff5722 ff9800 ffc107 ffeb3b cddc39 8bc34a 4caf50 009688 00bcd4 03a9f4 2196f3 3f51b5 673ab7 9c27b0 e91e63'.split(' ');

export const dataRates = (drCount: Readonly<Record<string, number>>): DoughnutData => ({
  kind: 'doughnut',
  slices: Object.entries(drCount)
    .map(([dr, value]) => ({ dr: Number(dr), value }))
    .sort((one, other) => one.dr - other.dr)
    .map(({ dr, value }) => ({ label: `DR${dr}`, value, color: `#${colors[dr % colors.length]}` })),
});
