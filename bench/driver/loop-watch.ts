/**
 * Loaded into a server process before anything of its own: each half second it writes into the file named by
 * LOOP_WATCH_FILE how long the event loop of its main thread stood still, in ms. Whoever removes the file begins a new
 * count.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const file = process.env['LOOP_WATCH_FILE'];
const resolution = 1;

// Its other threads load this as well.
if (file && isMainThread) {
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const ms = (nanoseconds: number) => Math.max(0, Math.round(nanoseconds / 1e5) / 10 - resolution);
  setInterval(() => {
    if (!existsSync(file)) delay.reset();
    const found = { p99: ms(delay.percentile(99)), p999: ms(delay.percentile(99.9)), max: ms(delay.max) };
    // Whoever reads it finds it whole.
    writeFileSync(`${file}.next`, JSON.stringify(found));
    renameSync(`${file}.next`, file);
  }, 500).unref();
}
