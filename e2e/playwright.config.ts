import { defineConfig } from '@playwright/test';

const waiting = 'integrations.spec.ts';

/** Real server, real UDP, real browser. Uses Debian's Chromium; Playwright downloads nothing. */
export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  // Each worker has a server of its own. A journey waits a quarter of its time, so three workers occupy two cores.
  workers: 3,
  // Deliveries to an endpoint that fails are repeated after seconds: first, while other workers occupy the cores.
  projects: [
    { name: 'waiting', testMatch: waiting },
    { name: 'others', testIgnore: waiting },
  ],
  // Generous limits: a busy machine is slow, which is not a failure.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  // A build machine retries once; `npm test` names flaky journeys and fails when there are more than two.
  retries: process.env['CI'] ? 1 : 0,
  // `npm test` reads the counts from a file; without one they would only fill the screen.
  reporter: process.env['PLAYWRIGHT_JSON_OUTPUT_FILE'] ? [['list'], ['json']] : [['list']],
  use: {
    contextOptions: { reducedMotion: 'reduce' },
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    // Snapshots of the page at each step without a screencast, which would take CPU time from the journey. They take up to
    // a fifth of the processor time, so a build machine makes them only when it repeats a failed journey.
    trace: { mode: process.env['CI'] ? 'on-first-retry' : 'retain-on-failure', screenshots: false },
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // A page that leaves the console and returns, or a second page of a journey, reuses the compiled scripts.
        '--process-per-site',
      ],
    },
  },
});
