/**
 * Preloaded into a server process: every half second it writes the longest blocking of the main thread's event loop, in
 * ms, to the file named by LOOP_WATCH_FILE. Removing the file starts a new count.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const file = process.env['LOOP_WATCH_FILE'];
const resolution = 1;

// Worker threads load this file as well.
if (file && isMainThread) {
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const ms = (nanoseconds: number) => Math.max(0, Math.round(nanoseconds / 1e5) / 10 - resolution);
  setInterval(() => {
    if (!existsSync(file)) delay.reset();
    const found = { p99: ms(delay.percentile(99)), p999: ms(delay.percentile(99.9)), max: ms(delay.max) };
    // The rename is atomic: a reader never sees half a file.
    writeFileSync(`${file}.next`, JSON.stringify(found));
    renameSync(`${file}.next`, file);
  }, 500).unref();
}
