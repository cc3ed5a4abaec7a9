/**
 * Preloaded into a server process: it ends the process, like `kill -9`, at a fail point of a delivery. The file named by
 * END_AT_STEP_FILE contains the name of the fail point, and how many times it is reached before the process ends.
 */
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';

const [step, times] = readFileSync(process.env['END_AT_STEP_FILE']!, 'utf8').split('\n');
let left = Number(times);

if (step)
  subscribe('hilltop.delivery.step', (passed) => {
    if (passed === step && --left <= 0) process.kill(process.pid, 'SIGKILL');
  });
