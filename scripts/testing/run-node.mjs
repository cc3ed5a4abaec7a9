// Runs test files of node. Usage: run-node.mjs COUNTS FILE...   The numbers of passed, failed and skipped tests go to COUNTS.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { groupFiles } from './groups.mjs';

/** For one test or suite, as `--test-timeout` says it. */
const timeoutMs = 240_000;

const [countsFile, ...files] = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), 'hilltop-groups-'));
const together = JSON.stringify(import.meta.resolve('./together.mjs'));

/** A file that loads all files of a group. Its name is what a failure of the whole process is reported under. */
function fileOfGroup(group, index) {
  const file = join(scratch, `group-${index + 1}.mjs`);
  const urls = group.map((path) => pathToFileURL(path).href);
  writeFileSync(file, `import { loadTogether } from ${together};\nawait loadTogether(${JSON.stringify(urls)});\n`);
  return file;
}

const concurrency = 2;
const { alone, groups } = groupFiles(files, concurrency);
const stream = run({
  files: [...alone, ...groups.map(fileOfGroup)],
  concurrency,
  // The first is for the process of a group, the second for each test in it.
  timeout: 3 * timeoutMs,
  execArgv: [`--test-timeout=${timeoutMs}`],
});
const durations = new Map();
for (const event of ['test:pass', 'test:fail'])
  stream.on(event, ({ file, nesting, details }) => {
    if (nesting === 0 && file) durations.set(file, (durations.get(file) ?? 0) + details.duration_ms);
  });
stream.on('test:summary', ({ file, counts, success }) => {
  if (file !== undefined) return;
  writeFileSync(countsFile, JSON.stringify(counts));
  process.exitCode = success ? 0 : 1;
});
// Until the summary says otherwise.
process.exitCode = 1;
stream.compose(new spec()).pipe(process.stdout);
process.on('exit', () => {
  rmSync(scratch, { recursive: true, force: true });
  const slowest = [...durations].sort(([, a], [, b]) => b - a).slice(0, 20);
  console.log('Slowest files:');
  for (const [file, ms] of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${relative('.', file)}`);
});
