import { defineConfig } from '@playwright/test';

/** Real server, real UDP, real browser. Debian's Chromium is used; Playwright downloads nothing. */
export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  // A server of its own for each.
  workers: 2,
  // Bounds for what never comes: a machine with other work to do is slow, and that is no failure.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  // A build machine tries once more; `npm test` names what needed it.
  retries: process.env['CI'] ? 1 : 0,
  // The counts go to a file for `npm test`; without one they would only fill the screen.
  reporter: process.env['PLAYWRIGHT_JSON_OUTPUT_FILE'] ? [['list'], ['json']] : [['list']],
  use: {
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    // What was on the page at each step, without a film of it, which is drawn by the processor the journey needs.
    trace: { mode: 'retain-on-failure', screenshots: false },
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
