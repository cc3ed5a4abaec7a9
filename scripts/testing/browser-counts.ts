/** The part of the report of Playwright's JSON reporter that is read here. */
export interface BrowserReport {
  stats: { expected: number; unexpected: number; flaky: number };
  suites: BrowserSuite[];
}

interface BrowserSuite {
  suites?: BrowserSuite[];
  specs: { title: string; file: string; line: number; tests: { status: string }[] }[];
}

/** A run with more flaky journeys than this fails. */
const maxFlaky = 2;

/**
 * Counts the journeys of a run. `flaky` names those that passed at the second attempt. They count as passed, or as failed
 * when there are more than two of them.
 */
export function countBrowser({ stats, suites }: BrowserReport): { passed: number; failed: number; flaky: string[] } {
  const flaky = suites.flatMap(flakyIn);
  return stats.flaky > maxFlaky
    ? { passed: stats.expected, failed: stats.unexpected + stats.flaky, flaky }
    : { passed: stats.expected + stats.flaky, failed: stats.unexpected, flaky };
}

const flakyIn = ({ suites = [], specs }: BrowserSuite): string[] => [
  ...specs
    .filter(({ tests }) => tests.some(({ status }) => status === 'flaky'))
    .map(({ file, line, title }) => `${file}:${line} ${title}`),
  ...suites.flatMap(flakyIn),
];
