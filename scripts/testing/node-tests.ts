/**
 * Runs test files of node:test in the given order, several processes at a time. A report goes to the console, the counts
 * and the duration of each file go to a JSON file. Usage: node-tests.ts COUNTS_FILE TEST_FILE...
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { untrackedPromises } from './node-files.ts';

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
/** The limit of each test and of each process: it ends tests that hang, also on a busy machine. */
const timeoutMs = 600_000;
const watchdogIntervalMs = 5_000;

const [countsFile, ...files] = process.argv.slice(2);
if (countsFile === undefined) throw new Error('Name the file for the counts.');

const nameOf = (file: string) => relative(process.cwd(), file);
const startedAt = new Map<string, number>();
const seconds: Record<string, number> = {};
const watchdog = new AbortController();
const concurrency = availableParallelism() * processesPerCore;
const execArgv = ['--import', untrackedPromises];
const tests = run({ files, concurrency, execArgv, timeout: timeoutMs, signal: watchdog.signal });

// node:test limits tests, but not a process that has run its tests and cannot end, because a socket or timer is open.
const timer = setInterval(() => {
  const hung = [...startedAt].filter(([, at]) => performance.now() - at > timeoutMs + watchdogIntervalMs);
  if (hung.length === 0) return;
  for (const [file] of hung) console.error(`${nameOf(file)} has not ended within ${timeoutMs / 1000} s.`);
  clearInterval(timer);
  watchdog.abort();
}, watchdogIntervalMs);

const paths = new Set(files.map((file) => resolve(file)));
tests.on('test:dequeue', ({ name, nesting }) => {
  const file = resolve(name);
  if (nesting === 0 && paths.has(file)) startedAt.set(file, performance.now());
});
tests.on('test:summary', ({ file, counts, duration_ms }) => {
  if (file !== undefined) {
    seconds[nameOf(file)] = Math.round(duration_ms / 100) / 10;
    startedAt.delete(file);
    return;
  }
  clearInterval(timer);
  // The type declarations of Node.js lack `failed`.
  const { passed, failed, cancelled, skipped } = counts as typeof counts & { failed: number };
  const longestFirst = Object.fromEntries(Object.entries(seconds).toSorted(([, one], [, other]) => other - one));
  const result: NodeTestCounts = { passed, failed, cancelled, skipped, seconds: longestFirst };
  writeFileSync(countsFile, JSON.stringify(result, null, 2));
  if (failed + cancelled > 0) process.exitCode = 1;
});
tests.compose(new spec()).pipe(process.stdout);
