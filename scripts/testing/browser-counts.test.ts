import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type BrowserReport, countBrowser } from './browser-counts.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The report of Playwright itself for journeys that need no browser. */
async function report(): Promise<BrowserReport> {
  await using folder = await scratch();
  const output = join(folder.path, 'report.json');
  const config = join(folder.path, 'playwright.config.ts');
  const from = JSON.stringify(join(root, 'node_modules/@playwright/test/index.js'));
  await writeFile(config, "export default { retries: 1, reporter: [['json']], workers: 1 };");
  await writeFile(
    join(folder.path, 'some.spec.ts'),
    `import playwright from ${from};
const { test, expect } = playwright;
test('at once', () => {});
test.describe('deeper', () => {
  test('at the second try', ({}, { retry }) => expect(retry).toBe(1));
});
test('never', () => expect(1).toBe(2));`,
  );
  const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_FILE: output };
  const cli = join(root, 'node_modules/@playwright/test/cli.js');
  await new Promise((resolve) => {
    execFile(process.execPath, [cli, 'test', '-c', config], { cwd: folder.path, env }, resolve);
  });
  return JSON.parse(await readFile(output, 'utf8')) as BrowserReport;
}

async function scratch() {
  const path = await mkdtemp(join(tmpdir(), 'hilltop-counts-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

test('a journey that passes at the second attempt is counted as passed and named', async () => {
  assert.deepEqual(countBrowser(await report()), {
    passed: 2,
    failed: 1,
    flaky: ['some.spec.ts:5 at the second try'],
  });
});

test('more than two journeys that pass at the second attempt count as failed', () => {
  const specs = ['first', 'second', 'third'].map((title, index) => ({
    title,
    file: 'some.spec.ts',
    line: index + 1,
    tests: [{ status: 'flaky' }],
  }));
  assert.deepEqual(countBrowser({ stats: { expected: 5, unexpected: 0, flaky: 3 }, suites: [{ specs }] }), {
    passed: 5,
    failed: 3,
    flaky: ['some.spec.ts:1 first', 'some.spec.ts:2 second', 'some.spec.ts:3 third'],
  });
});
