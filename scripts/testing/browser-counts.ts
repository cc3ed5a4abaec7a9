/** The used fields of Playwright's JSON report. */
export interface BrowserReport {
  stats: { expected: number; unexpected: number; flaky: number };
  suites: BrowserSuite[];
}

interface BrowserSuite {
  suites?: BrowserSuite[];
  specs: { title: string; file: string; line: number; tests: { status: string }[] }[];
}

/** With more journeys that pass only at their second try, the product or the journeys have a defect. */
const maxFlaky = 2;

/**
 * The numbers of passed and failed journeys. A journey that passes at its second try is flaky: it is listed and counts
 * as passed, unless there are more than two of them. Then all of them count as failed.
 */
export function countBrowser({ stats, suites }: BrowserReport): { passed: number; failed: number; flaky: string[] } {
  const flaky = suites.flatMap(flakyIn);
  if (stats.flaky > maxFlaky) return { passed: stats.expected, failed: stats.unexpected + stats.flaky, flaky };
  return { passed: stats.expected + stats.flaky, failed: stats.unexpected, flaky };
}

const flakyIn = ({ suites = [], specs }: BrowserSuite): string[] => [
  ...specs
    .filter(({ tests }) => tests.some(({ status }) => status === 'flaky'))
    .map(({ file, line, title }) => `${file}:${line} ${title}`),
  ...suites.flatMap(flakyIn),
];
