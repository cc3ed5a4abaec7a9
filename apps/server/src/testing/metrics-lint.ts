/** The rules of `promtool check metrics` for names (promlint of Prometheus' client library). */

const baseUnits: Record<string, string> = {
  amperes: 'amperes',
  bytes: 'bytes',
  celsius: 'celsius',
  grams: 'grams',
  joules: 'joules',
  meters: 'meters',
  metres: 'metres',
  seconds: 'seconds',
  volts: 'volts',
  minutes: 'seconds',
  hours: 'seconds',
  days: 'seconds',
  weeks: 'seconds',
  kelvin: 'celsius',
  kelvins: 'celsius',
  fahrenheit: 'celsius',
  rankine: 'celsius',
  inches: 'meters',
  yards: 'meters',
  miles: 'meters',
  bits: 'bytes',
  calories: 'joules',
  pounds: 'grams',
  ounces: 'grams',
};
const prefixes = '|pico|nano|micro|milli|centi|deci|deca|hecto|kilo|kibi|mega|mibi|giga|gibi|tera|tebi|peta|pebi'.split(
  '|',
);
const abbreviations = ['s', 'ms', 'us', 'ns', 'sec', 'b', 'kb', 'mb', 'gb', 'tb', 'pb', 'm', 'h', 'd'];
const types = ['counter', 'gauge', 'summary', 'histogram'];

/** The problems of a `/metrics` text, one line `name: problem` each. */
export function lintMetrics(text: string): string[] {
  const problems: string[] = [];
  const helps = new Map<string, string>();
  const seen = new Set<string>();
  let type = '';
  let family = '';
  for (const line of text.split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (kind === 'HELP') helps.set(name, rest);
    if (kind === 'TYPE') {
      [family, type] = [name, rest];
      if (!helps.get(name)) problems.push(`${name}: no help text`);
      problems.push(...nameProblems(name, type).map((problem) => `${name}: ${problem}`));
    }
    if (line === '' || line.startsWith('#')) continue;
    const [series = '', labels = ''] = /^[^{ ]+(?:\{(.*)\})?(?= )/.exec(line) ?? [];
    if (seen.has(series)) problems.push(`${series}: appears twice`);
    seen.add(series);
    problems.push(...labelProblems(labels, type).map((problem) => `${family}: ${problem}`));
  }
  return [...new Set(problems)];
}

function nameProblems(name: string, type: string): string[] {
  const parts = name.split('_');
  const lower = name.toLowerCase();
  const has = (part: string) => lower.includes(`_${part}_`) || lower.endsWith(`_${part}`);
  const problems: (string | false)[] = [
    type === 'counter' && !name.endsWith('_total') && 'counter metrics should have "_total" suffix',
    type !== 'counter' && name.endsWith('_total') && 'non-counter metrics should not have "_total" suffix',
    type !== 'histogram' && name.endsWith('_bucket') && 'non-histogram metrics should not have "_bucket" suffix',
    ...['_count', '_sum'].map(
      (suffix) =>
        !['histogram', 'summary'].includes(type) &&
        name.endsWith(suffix) &&
        `non-histogram and non-summary metrics should not have "${suffix}" suffix`,
    ),
    ...types.map((word) => has(word) && `metric name should not include type '${word}'`),
    name.includes(':') && 'metric names should not contain ":"',
    /[a-z][A-Z]/.test(name) && "metric names should be written in 'snake_case' not 'camelCase'",
    ...abbreviations.map((unit) => has(unit) && 'metric names should not contain abbreviated units'),
    ...Object.entries(baseUnits).flatMap(([unit, base]) =>
      prefixes
        .filter((prefix) => parts.includes(prefix + unit) && (prefix !== '' || unit !== base))
        .map((prefix) => `use base unit "${base}" instead of "${prefix}${unit}"`),
    ),
  ];
  return problems.filter((problem) => problem !== false);
}

function labelProblems(labels: string, type: string): string[] {
  const names = [...labels.matchAll(/([^,={"]+)="(?:[^"\\]|\\.)*"/g)].map(([, name]) => name!);
  return names.flatMap((name) => [
    ...(/[a-z][A-Z]/.test(name) ? ["label names should be written in 'snake_case' not 'camelCase'"] : []),
    ...(name === 'le' && type !== 'histogram' ? ['non-histogram metrics should not have "le" label'] : []),
    ...(name === 'quantile' && type !== 'summary' ? ['non-summary metrics should not have "quantile" label'] : []),
  ]);
}
