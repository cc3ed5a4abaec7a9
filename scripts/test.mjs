// Every test of the product, one stage after the other. The last line is "N passed, N failed".
// Usage: test.mjs [stage ...]   stages: check, node, instances, console, e2e (all when none is named)
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countBrowser } from './testing/browser-counts.ts';
import { prepareMachine } from './testing/machine.ts';
import { startPostgres } from './testing/postgres.ts';

const strict = Boolean(process.env.CI);
const wanted = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), 'hilltop-test-'));
// Hundreds of processes read the same modules: what one of them has compiled, the others find here.
const compiled = fileURLToPath(new URL('../node_modules/.cache/hilltop-test', import.meta.url));
const env = {
  NODE_COMPILE_CACHE: compiled,
  ...process.env,
  NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
};
const skipped = [];
const flaky = [];

const run = (command, args, options = {}) => spawnSync(command, args, { stdio: 'inherit', env, ...options });
const readJson = (name) => {
  try {
    return JSON.parse(readFileSync(join(scratch, name), 'utf8'));
  } catch {
    return undefined;
  }
};

/** A stage that ended badly without telling its counts is one failure, never silence. */
const outcome = (status, counts) => {
  if (!counts) return { passed: 0, failed: 1 };
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
};

/** What databases of tests are copied from: all steps of the schema again for each of them would take longer than the tests. */
function makeTemplate() {
  const file = join(scratch, 'template.db');
  if (run('node', ['apps/server/src/testing/make-template.ts', file]).status === 0) env.HILLTOP_TEST_TEMPLATE = file;
}

/** Test files of node, with `more` in their environment. */
function runNode(name, files, more = {}) {
  if (!env.HILLTOP_TEST_TEMPLATE) makeTemplate();
  const told = join(scratch, `${name}.json`);
  const { status } = run(
    'node',
    [
      '--test',
      '--test-concurrency=2',
      '--test-timeout=240000',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=./scripts/testing/count-reporter.mjs',
      `--test-reporter-destination=${told}`,
      ...files,
    ],
    { env: { ...env, ...more } },
  );
  const counts = readJson(`${name}.json`);
  if (counts?.skipped) skipped.push(`${counts.skipped} tests marked as skipped in ${name}`);
  return outcome(status, counts && { passed: counts.passed, failed: counts.failed + counts.cancelled });
}

/** What is tried once more with two servers that are called in turn: whatever one of them keeps in memory shows there. */
const inTurn = [
  'device/device',
  'device-queue/device-queue',
  'internal/internal',
  'multicast-group/multicast-group',
  'network-server/network-server',
  'session/session',
  'user/user',
];

const stages = {
  check() {
    const { status, stdout } = run('node', ['scripts/check.mjs'], {
      stdio: ['inherit', 'pipe', 'inherit'],
      encoding: 'utf8',
    });
    process.stdout.write(stdout);
    const lines = stdout.split('\n');
    const count = (word) => lines.filter((line) => line.startsWith(word)).length;
    return outcome(status, { passed: count('ok    '), failed: count('FAILED') });
  },
  node() {
    const files = globSync([
      'packages/*/src/**/*.test.ts',
      'apps/server/src/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/**/*.test.ts',
    ]);
    return runNode('node', files);
  },
  instances() {
    if (!machine.postgresql || !machine['redis-server']) return { passed: 0, failed: 0 };
    const files = inTurn.map((name) => `apps/server/src/resources/${name}.test.ts`);
    return runNode('instances', files, { HILLTOP_TEST_INSTANCES: '2' });
  },
  console() {
    const { status } = run(
      'vitest',
      ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${join(scratch, 'console.json')}`],
      { cwd: 'apps/console' },
    );
    const counts = readJson('console.json');
    return outcome(status, counts && { passed: counts.numPassedTests, failed: counts.numFailedTests });
  },
  e2e() {
    if (!env.CHROMIUM) {
      skipped.push('browser tests (no Chromium found; set CHROMIUM to its path)');
      return { passed: 0, failed: 0 };
    }
    const { status } = run('playwright', ['test', '-c', 'e2e/playwright.config.ts'], {
      env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: join(scratch, 'e2e.json') },
    });
    const report = readJson('e2e.json');
    const counts = report && countBrowser(report);
    flaky.push(...(counts?.flaky ?? []));
    return outcome(status, counts && { passed: counts.passed, failed: counts.failed });
  },
};

const machine = prepareMachine();
if (machine.chromium) env.CHROMIUM = machine.chromium;
let postgres;
if (machine.postgresql) {
  // Else tests would mostly wait for the disk, as each has a database that comes and goes.
  postgres = await startPostgres(machine.postgresql, { fsync: false });
  env.HILLTOP_TEST_POSTGRES_URL = postgres.url;
} else {
  skipped.push('tests on PostgreSQL (no initdb found)');
}
if (!machine.mosquitto || !machine['mosquitto-clients'])
  skipped.push('tests with mosquitto and its clients (not found)');
if (!machine.influxdb) skipped.push('tests at InfluxDB (no influxd found)');
if (!machine['redis-server']) skipped.push('tests of moving in from version 3 (no redis-server found)');
if (!machine['nginx-light'] || !machine['libnginx-mod-stream'])
  skipped.push('tests with nginx and its streams (not found)');
if (!machine['rabbitmq-server']) skipped.push('tests at RabbitMQ (no rabbitmq-server found)');

const total = { passed: 0, failed: 0 };
try {
  for (const name of wanted.length > 0 ? wanted : Object.keys(stages)) {
    console.log(`\n== ${name}`);
    const { passed, failed } = stages[name]();
    total.passed += passed;
    total.failed += failed;
  }
} finally {
  await postgres?.stop();
  rmSync(scratch, { recursive: true, force: true });
}

for (const journey of flaky) console.log(`FLAKY, passed at the second try: ${journey}`);
for (const reason of skipped) console.log(`Skipped: ${reason}.`);
if (strict) total.failed += skipped.length;
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
