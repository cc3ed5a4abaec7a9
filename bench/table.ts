import type { Row } from './case.ts';

const heads: Row = { work: 'work', before: 'old generation', target: 'target', ours: 'Hilltop' };
const columns = ['work', 'before', 'target', 'ours'] as const;

/** The rows as an aligned Markdown table. */
export function tableOf(rows: readonly Row[]): string {
  const widths = columns.map((column) => Math.max(...[heads, ...rows].map((row) => row[column].length)));
  const line = (row: Row) => `| ${columns.map((column, at) => row[column].padEnd(widths[at]!)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(heads), rule, ...rows.map(line)].join('\n');
}
