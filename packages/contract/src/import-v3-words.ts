/** The terms of an import report, for the console and the terminal. */

/** The parts of a report, in their order, by the kind of finding. */
export const importV3Headings = {
  STOPS: 'Not ready',
  NOT_CARRIED: 'Not imported',
  NOTICE: 'To know',
  SECURITY: 'Security',
} as const;
type Kind = keyof typeof importV3Headings;
export const importV3Kinds = Object.keys(importV3Headings) as readonly Kind[];

export const importV3SettingsHeading = 'Settings, for the environment';

/** The result of a dry run in words. */
export function importV3Verdict(findings: readonly { kind: Kind }[]): string {
  if (findings.some(({ kind }) => kind === 'STOPS')) return 'Not ready to move';
  return findings.length > 0 ? 'Ready to import, with notes' : 'Ready to import';
}

type CountName = 'inV3' | 'new' | 'changed' | 'same' | 'gone' | 'notCarried';

export interface ImportV3Column {
  name: CountName;
  label: string;
  /** Omitted when all values are 0: a dry run has no earlier pass. */
  isRare?: true;
}

const columns: readonly ImportV3Column[] = [
  { name: 'inV3', label: 'In v3' },
  { name: 'new', label: 'New' },
  { name: 'changed', label: 'Changed', isRare: true },
  { name: 'same', label: 'Same', isRare: true },
  { name: 'gone', label: 'Gone', isRare: true },
  { name: 'notCarried', label: 'Not imported' },
];

export const importV3Columns = (counts: readonly Record<CountName, number>[]): ImportV3Column[] =>
  columns.filter(({ name, isRare }) => !isRare || counts.some((count) => count[name] > 0));

/** `devices (12)`: the subject of a finding and its count. */
export const importV3Subject = ({ what, count }: { what: string; count: number }): string =>
  count > 1 ? `${what} (${count.toLocaleString('en')})` : what;

/** The first examples by name; empty when there are none. */
export const importV3Examples = ({ examples, count }: { examples: readonly string[]; count: number }): string =>
  examples.length === 0 ? '' : examples.join(', ') + (count > examples.length ? ', …' : '');

/** The most characters of a settings file: real ones are smaller. */
export const importV3LongestFile = 200_000;
