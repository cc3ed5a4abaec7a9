// Runs all tests of the product. The last line is "N passed, N failed".
// Usage: test.ts [stage ...]   stages: check, console, node, instances, e2e (all when none is named)
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserReport, countBrowser } from './testing/browser-counts.ts';
import { type Machine, prepareMachine, scratchParent } from './testing/machine.ts';
import { filesForInstances, nodeTestFiles } from './testing/node-files.ts';
import type { NodeTestCounts } from './testing/node-tests.ts';
import { startPostgres } from './testing/postgres.ts';
import { readJson, resultOf, runProgram, type StageResult } from './testing/stage.ts';

type Print = (text: string) => void;
type Stage = (print?: Print) => Promise<StageResult>;

const isStrict = Boolean(process.env.CI);
const env: NodeJS.ProcessEnv = {
  // Hundreds of processes load the same modules: each module is compiled once.
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/hilltop-test', import.meta.url)),
  ...process.env,
  NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
};
const skipped: string[] = [];
const flaky: string[] = [];

async function check(print?: Print): Promise<StageResult> {
  let output = '';
  const collect: Print = (text) => {
    output += text;
    if (print) print(text);
    else process.stdout.write(text);
  };
  // It runs beside tests that use all cores, so that threads would only cost time.
  const checkEnv = { GOMAXPROCS: '1', ...env };
  const status = await runProgram('node', ['scripts/check.mjs'], { env: checkEnv, print: collect });
  const lines = output.split('\n');
  const count = (result: string) => lines.filter((line) => line.startsWith(result)).length;
  return resultOf(status, { passed: count('ok    '), failed: count('FAILED') });
}

async function runNodeTests(name: string, files: readonly string[], print?: Print, settings: NodeJS.ProcessEnv = {}) {
  const countsFile = join(scratch, `${name}.json`);
  const status = await runProgram('node', ['scripts/testing/node-tests.ts', countsFile, ...files], {
    env: { ...env, ...settings },
    print,
  });
  const counts = readJson<NodeTestCounts>(countsFile);
  if (counts?.skipped) skipped.push(`${counts.skipped} tests marked as skipped in ${name}`);
  return resultOf(status, counts && { passed: counts.passed, failed: counts.failed + counts.cancelled });
}

async function runConsoleTests(print?: Print): Promise<StageResult> {
  const countsFile = join(scratch, 'console.json');
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${countsFile}`];
  const status = await runProgram('vitest', args, { env, cwd: 'apps/console', print });
  const counts = readJson<{ numPassedTests: number; numFailedTests: number }>(countsFile);
  return resultOf(status, counts && { passed: counts.numPassedTests, failed: counts.numFailedTests });
}

async function runBrowserTests(print?: Print): Promise<StageResult> {
  if (!env.CHROMIUM) {
    skipped.push('browser tests (no Chromium found; set CHROMIUM to its path)');
    return { passed: 0, failed: 0 };
  }
  const countsFile = join(scratch, 'e2e.json');
  const status = await runProgram('playwright', ['test', '-c', 'e2e/playwright.config.ts'], {
    env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: countsFile },
    print,
  });
  const report = readJson<BrowserReport>(countsFile);
  if (!report) return resultOf(status, undefined);
  const counts = countBrowser(report);
  flaky.push(...counts.flaky);
  return resultOf(status, counts);
}

const stages: Record<string, Stage> = {
  check,
  console: runConsoleTests,
  node: (print) => runNodeTests('node', nodeTestFiles(scratch), print),
  async instances(print) {
    if (!machine.postgresql || !machine['redis-server']) return { passed: 0, failed: 0 };
    return runNodeTests('instances', filesForInstances, print, { HILLTOP_TEST_INSTANCES: '2' });
  },
  e2e: runBrowserTests,
};

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(stages, name));
if (unknown !== undefined) {
  console.error(`There is no stage ${unknown}. Choose from ${Object.keys(stages).join(', ')}.`);
  process.exit(1);
}

/** Stages that use the cores while tests of another stage wait. */
const besides: Record<string, string> = { check: 'node', console: 'node', instances: 'e2e' };

/** Stages with servers, which start on copies of a migrated database. */
const usesTemplate = ['node', 'instances', 'e2e'];

/** Reports missing programs; with CI set each of these lines is a failure. */
function reportMissing({ postgresql, mosquitto, influxdb, ...programs }: Machine): void {
  if (!postgresql) skipped.push('tests on PostgreSQL (no initdb found)');
  if (!mosquitto || !programs['mosquitto-clients']) skipped.push('tests with mosquitto and its clients (not found)');
  if (!influxdb) skipped.push('tests at InfluxDB (no influxd found)');
  if (!programs['redis-server']) skipped.push('tests of moving in from version 3 (no redis-server found)');
  if (!programs['nginx-light'] || !programs['libnginx-mod-stream'])
    skipped.push('tests with nginx and its streams (not found)');
  if (!programs['rabbitmq-server']) skipped.push('tests at RabbitMQ (no rabbitmq-server found)');
}

/** Creates the migrated database that tests copy, because the migrations take longer than most tests. */
async function makeTemplate(): Promise<void> {
  const file = join(scratch, 'template.db');
  const status = await runProgram('node', ['apps/server/src/testing/make-template.ts', file], { env });
  if (status === 0) env.HILLTOP_TEST_TEMPLATE = file;
}

const results: StageResult[] = [];
const durations: string[] = [];

async function runStage(name: string, print?: Print): Promise<void> {
  const startedAt = performance.now();
  results.push(await stages[name]!(print));
  durations.push(`${name} ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

/** Runs stages one after the other and prints the output of each when the stage has ended. */
async function runQuietly(names: readonly string[]): Promise<string> {
  let output = '';
  for (const name of names) {
    output += `\n== ${name}\n`;
    await runStage(name, (text) => (output += text));
  }
  return output;
}

async function runStages(names: readonly string[]): Promise<void> {
  if (names.some((name) => usesTemplate.includes(name))) await makeTemplate();
  const isBeside = (name: string) => names.includes(besides[name] ?? '');
  for (const name of names.filter((name) => !isBeside(name))) {
    const background = runQuietly(names.filter((other) => besides[other] === name));
    console.log(`\n== ${name}`);
    await runStage(name);
    process.stdout.write(await background);
  }
}

const scratch = mkdtempSync(join(scratchParent(), 'hilltop-test-'));
// Databases and brokers run as users of their own, and write here as well.
chmodSync(scratch, 0o1777);
process.env.TMPDIR = scratch;
env.TMPDIR = scratch;
env.HILLTOP_TEST_PORTS = mkdtempSync(join(scratch, 'ports-'));
const machine = prepareMachine();
reportMissing(machine);
if (machine.browser) env.CHROMIUM = machine.browser;
// Without fsync: each test has its own database, and would mostly wait for the disk.
const postgres = machine.postgresql ? await startPostgres(machine.postgresql, { fsync: false }) : undefined;
if (postgres) env.HILLTOP_TEST_POSTGRES_URL = postgres.url;
try {
  await runStages(wanted.length > 0 ? wanted : Object.keys(stages));
} finally {
  await postgres?.stop();
  rmSync(scratch, { recursive: true, force: true });
}

const total = results.reduce(
  (sum, { passed, failed }) => ({ passed: sum.passed + passed, failed: sum.failed + failed }),
  {
    passed: 0,
    failed: 0,
  },
);
for (const journey of flaky) console.log(`FLAKY, passed at the second try: ${journey}`);
for (const reason of skipped) console.log(`Skipped: ${reason}.`);
if (isStrict) total.failed += skipped.length;
console.log(`Durations: ${durations.join(', ')}.`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
