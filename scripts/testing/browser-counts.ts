/** The members of Playwright's JSON report that are read here. */
export interface BrowserReport {
  stats: { expected: number; unexpected: number; flaky: number };
  suites: BrowserSuite[];
}

interface BrowserSuite {
  suites?: BrowserSuite[];
  specs: { title: string; file: string; line: number; tests: { status: string }[] }[];
}

/** More journeys than these that pass only at their second try are a defect of the product or of the journeys. */
const maxFlaky = 2;

/**
 * How many journeys passed and failed. A journey that passes at its second try is flaky: it is named and counts as
 * passed, unless there are more than two of them. Then all of them count as failed.
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
