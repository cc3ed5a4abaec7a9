import type { ReportBook } from './report.ts';

/** What no import includes, and why. */
const neverImported: readonly (readonly [what: string, because: string])[] = [
  ['events and frames', 'the last ones of each device and gateway stay behind: new ones come with the first uplinks'],
  [
    'statistics by minute and hour',
    'they are older than they are kept before anybody looks: sums by day and month are carried',
  ],
  ['pings of gateways', 'gateways that look for each other begin anew'],
  ['MAC commands under way', 'what a device was asked and has not answered is asked again when it still differs'],
];
const inLastPass: (typeof neverImported)[number] = [
  'statistics',
  'the last pass leaves them out: what was counted since the pass before stays behind',
];

export function reportNeverImported(report: ReportBook, isShort: boolean): void {
  for (const [what, because] of isShort ? [...neverImported, inLastPass] : neverImported)
    report.find('not carried', what, because);
}
