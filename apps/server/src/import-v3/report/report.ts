import type { ImportV3Report } from '@hilltop/contract';
import {
  importV3Columns,
  importV3Examples,
  importV3Headings,
  importV3Kinds,
  importV3SettingsHeading,
  importV3Subject,
} from '@hilltop/contract/import-v3-words';
import { environmentName } from '../../environment-name.ts';

type ImportV3FindingKind = ImportV3Report['findings'][number]['kind'];

/**
 * The result of an import: counts by kind of record, and findings with a reason. Terminal and JSON have the same
 * content.
 */

export type FindingKind =
  /** Prevents every write of the import. */
  | 'stops'
  /** Is not imported. */
  | 'not imported'
  /** Is imported, and the operator has to know or do something. */
  | 'notice'
  /** Concerns passwords, secrets or connections. */
  | 'security';

/** A finding never contains a secret. */
export interface Finding {
  kind: FindingKind;
  /** The subject, such as `devices`. */
  what: string;
  /** A sentence: the reason, and what to do. */
  because: string;
  count: number;
  /** The first ones, by EUI, id or name. */
  examples: string[];
}

export interface Count {
  what: string;
  inV3: number;
  new: number;
  changed: number;
  same: number;
  /** Removed in version 3 since an earlier pass, and then in Hilltop. */
  gone: number;
  notCarried: number;
}

export interface ReportSource {
  what: string;
  where: string;
  version: string;
}

export interface Report {
  sources: ReportSource[];
  counts: Count[];
  findings: Finding[];
  /** Settings of Hilltop by their name in `hilltop.json`, with the values of the version 3 files; without secrets. */
  settings: Record<string, unknown>;
}

/** A report while it is written. */
export interface ReportBook {
  source: (source: ReportSource) => void;
  find: (kind: FindingKind, what: string, because: string, example?: string) => void;
  count: (what: string) => Count;
  set: (key: string, value: unknown) => void;
  isStopped: () => boolean;
  report: () => Report;
}

const mostExamples = 10;
/** The most findings with different reasons: a broken database must not let the report grow without limit. */
const mostFindings = 500;
const longestExample = 100;

export function createReport(): ReportBook {
  const sources: ReportSource[] = [];
  const counts = new Map<string, Count>();
  const findings = new Map<string, Finding>();
  const settings: Record<string, unknown> = {};

  return {
    source: (source) => void sources.push(source),
    find: (kind, what, because, example) => {
      const key = `${kind}/${what}/${because}`;
      let found = findings.get(key);
      if (!found) {
        if (findings.size >= mostFindings && kind !== 'stops') return;
        found = { kind, what, because, count: 0, examples: [] };
        findings.set(key, found);
      }
      found.count += 1;
      if (example !== undefined && found.examples.length < mostExamples)
        found.examples.push(example.slice(0, longestExample).replaceAll(/\s+/g, ' '));
    },
    count: (what) => {
      let count = counts.get(what);
      if (!count) {
        count = { what, inV3: 0, new: 0, changed: 0, same: 0, gone: 0, notCarried: 0 };
        counts.set(what, count);
      }
      return count;
    },
    set: (key, value) => {
      settings[key] = value;
    },
    isStopped: () => [...findings.values()].some(({ kind }) => kind === 'stops'),
    report: () => ({ sources, counts: [...counts.values()], findings: [...findings.values()], settings }),
  };
}

export const isStopped = ({ findings }: Pick<Report, 'findings'>): boolean =>
  findings.some(({ kind }) => kind === 'stops');

/** 0: ready; 2: ready, with findings to read first; 3: not ready. */
export function exitCodeOf(report: Report): 0 | 2 | 3 {
  if (isStopped(report)) return 3;
  return report.findings.length > 0 ? 2 : 0;
}

/** Control characters, which would affect a terminal: any user may have chosen the names of records. */
const notOfText = /[^\P{Cc}\n]/gu;

/** The report as text. The console uses the same terms. */
export function textOf({ sources, counts, findings, settings }: Report): string {
  const columns = importV3Columns(counts);
  const cells = counts.map((count) => [count.what, ...columns.map(({ name }) => count[name].toLocaleString('en'))]);
  const first = Math.max(10, ...cells.map(([what = '']) => what.length));
  const rowOf = ([what = '', ...numbers]: string[]) =>
    `${what.padEnd(first)} ${numbers.map((number) => number.padStart(12)).join('')}`;
  const lines = sources.map(({ what, where, version }) => `${what} at ${where}: ${version}`);
  if (cells.length > 0) lines.push('', rowOf(['', ...columns.map(({ label }) => label)]), ...cells.map(rowOf));
  for (const kind of importV3Kinds) {
    const ofKind = findings.filter((finding) => findingKinds[finding.kind] === kind);
    if (ofKind.length === 0) continue;
    lines.push('', `${importV3Headings[kind]}:`);
    for (const finding of ofKind) {
      lines.push(`  ${importV3Subject(finding)}: ${finding.because}`);
      const examples = importV3Examples(finding);
      if (examples !== '') lines.push(`      ${examples}`);
    }
  }
  if (Object.keys(settings).length > 0) lines.push('', `${importV3SettingsHeading}:`);
  for (const line of settingLines({ settings })) lines.push(`  ${line}`);
  return lines.join('\n').replaceAll(notOfText, '\uFFFD');
}

/** Lines of an environment file. */
export const settingLines = ({ settings }: Pick<Report, 'settings'>): string[] =>
  Object.entries(settings).map(([key, value]) => `${environmentName(key)}=${inShell(String(value))}`);

/** The kinds as the API names them. */
export const findingKinds = {
  stops: 'STOPS',
  'not imported': 'NOT_CARRIED',
  notice: 'NOTICE',
  security: 'SECURITY',
} as const satisfies Record<FindingKind, ImportV3FindingKind>;

/** Quoted for a shell and for an environment file. */
const inShell = (value: string) => (/^[\w./:@,+-]*$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`);
