/**
 * Runs test files of node:test in the given order, several processes at a time. A report goes to the console, the counts
 * and the duration of each file go to a JSON file. Usage: node-tests.ts COUNTS_FILE TEST_FILE...
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

export interface NodeTestCounts {
  passed: number;
  failed: number;
  cancelled: number;
  skipped: number;
  /** By test file, longest first. */
  seconds: Record<string, number>;
}

/** Tests spend more than half of their time waiting for sockets, databases and child processes. */
const processesPerCore = 2;
/** The limit of a process and of each test in it: it ends tests that hang, also on a busy machine. */
const timeoutMs = 600_000;

const [countsFile, ...files] = process.argv.slice(2);
if (countsFile === undefined) throw new Error('Name the file for the counts.');

const concurrency = availableParallelism() * processesPerCore;
const seconds: [file: string, seconds: number][] = [];
const tests = run({ files, concurrency, timeout: timeoutMs });
tests.on('test:summary', ({ file, counts, duration_ms }) => {
  if (file !== undefined) {
    seconds.push([relative(process.cwd(), file), Math.round(duration_ms / 100) / 10]);
    return;
  }
  // The type declarations of Node.js lack `failed`.
  const { passed, failed, cancelled, skipped } = counts as typeof counts & { failed: number };
  const longestFirst = Object.fromEntries(seconds.toSorted(([, first], [, second]) => second - first));
  const result: NodeTestCounts = { passed, failed, cancelled, skipped, seconds: longestFirst };
  writeFileSync(countsFile, JSON.stringify(result, null, 2));
  if (failed + cancelled > 0) process.exitCode = 1;
});
tests.compose(new spec()).pipe(process.stdout);
