/** What Playwright's JSON reporter says of a run, as far as it is read here. */
export interface BrowserReport {
  stats: { expected: number; unexpected: number; flaky: number };
  suites: BrowserSuite[];
}

interface BrowserSuite {
  suites?: BrowserSuite[];
  specs: { title: string; file: string; line: number; tests: { status: string }[] }[];
}

/** How many journeys passed and failed. One that needed a second try has passed, once, and is named. */
export function countBrowser({ stats, suites }: BrowserReport): { passed: number; failed: number; flaky: string[] } {
  const flaky = suites.flatMap(flakyIn);
  return { passed: stats.expected + stats.flaky, failed: stats.unexpected, flaky };
}

const flakyIn = ({ suites = [], specs }: BrowserSuite): string[] => [
  ...specs
    .filter(({ tests }) => tests.some(({ status }) => status === 'flaky'))
    .map(({ file, line, title }) => `${file}:${line} ${title}`),
  ...suites.flatMap(flakyIn),
];
