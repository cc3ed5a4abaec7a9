import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type BrowserReport, countBrowser } from './browser-counts.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The report of a real Playwright run of journeys without a browser; two of them fail once. */
async function runJourneys(): Promise<BrowserReport> {
  await using folder = await scratch();
  const output = join(folder.path, 'report.json');
  const config = join(folder.path, 'playwright.config.ts');
  const from = JSON.stringify(join(root, 'node_modules/@playwright/test/index.js'));
  await writeFile(config, "export default { retries: 1, reporter: [['json']], workers: 1 };");
  await writeFile(
    join(folder.path, 'journeys.spec.ts'),
    `import playwright from ${from};
const { test, expect } = playwright;
test('passes', () => {});
test.describe('nested', () => {
  for (let count = 1; count <= 2; count += 1)
    test('passes at the second try ' + count, ({}, { retry }) => expect(retry).toBe(1));
});
test('fails', () => expect(1).toBe(2));`,
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

test('journeys that pass at their second try count as passed and are listed; three of them count as failed', async () => {
  const report = await runJourneys();
  assert.deepEqual(countBrowser(report), {
    passed: 3,
    failed: 1,
    flaky: ['journeys.spec.ts:6 passes at the second try 1', 'journeys.spec.ts:6 passes at the second try 2'],
  });
  const { passed, failed } = countBrowser({ ...report, stats: { ...report.stats, flaky: 3 } });
  assert.deepEqual({ passed, failed }, { passed: 1, failed: 4 });
});
