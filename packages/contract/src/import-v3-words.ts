/** How a report of moving in from version 3 reads, on a page and on a terminal. */

/** The parts of a report, in their order, by the kind of finding. */
export const importV3Headings = {
  STOPS: 'Not ready',
  NOT_CARRIED: 'Not carried',
  NOTICE: 'To know',
  SECURITY: 'Security',
} as const;
type Kind = keyof typeof importV3Headings;
export const importV3Kinds = Object.keys(importV3Headings) as readonly Kind[];

export const importV3SettingsHeading = 'Settings, for the environment';

/** What it comes to. */
export function importV3Verdict(findings: readonly { kind: Kind }[]): string {
  if (findings.some(({ kind }) => kind === 'STOPS')) return 'Not ready to move';
  return findings.length > 0 ? 'Ready to move, with something to read before' : 'Ready to move';
}

type CountName = 'inV3' | 'new' | 'changed' | 'same' | 'gone' | 'notCarried';

export interface ImportV3Column {
  name: CountName;
  label: string;
  /** Left out where nothing is in it: a dry run has nothing from before. */
  isRare?: true;
}

const columns: readonly ImportV3Column[] = [
  { name: 'inV3', label: 'In v3' },
  { name: 'new', label: 'New' },
  { name: 'changed', label: 'Changed', isRare: true },
  { name: 'same', label: 'Same', isRare: true },
  { name: 'gone', label: 'Gone', isRare: true },
  { name: 'notCarried', label: 'Not carried' },
];

export const importV3Columns = (counts: readonly Record<CountName, number>[]): ImportV3Column[] =>
  columns.filter(({ name, isRare }) => !isRare || counts.some((count) => count[name] > 0));

/** `devices (12)`: what a finding is about, and how often. */
export const importV3Subject = ({ what, count }: { what: string; count: number }): string =>
  count > 1 ? `${what} (${count.toLocaleString('en')})` : what;

/** The first ones by name; empty where there are none to name. */
export const importV3Examples = ({ examples, count }: { examples: readonly string[]; count: number }): string =>
  examples.length === 0 ? '' : examples.join(', ') + (count > examples.length ? ', …' : '');

/** Characters of a settings file: larger than any real one. */
export const importV3LongestFile = 200_000;
