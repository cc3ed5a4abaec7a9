import type { ReportBook } from './report.ts';

/** What no import includes, and why. */
const neverImported: readonly (readonly [what: string, because: string])[] = [
  ['events and frames', 'past ones are not imported: new ones arrive with the first uplinks'],
  ['statistics by minute and hour', 'their retention is short: sums by day and month are imported'],
  ['pings of gateways', 'gateway discovery starts again'],
  ['MAC commands under way', 'requests that a device has not answered are sent again if they are still needed'],
];
const inLastPass: (typeof neverImported)[number] = [
  'statistics',
  'the last pass does not import them: values counted since the previous pass are lost',
];

export function reportNeverImported(report: ReportBook, isShort: boolean): void {
  for (const [what, because] of isShort ? [...neverImported, inLastPass] : neverImported)
    report.find('not imported', what, because);
}
