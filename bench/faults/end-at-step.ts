/**
 * Loaded into a server process before anything of its own: it ends, as by `kill -9`, when it passes the step of a delivery
 * that the file named by END_AT_STEP_FILE says, so many times after the file was written.
 */
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';

const [step, times] = readFileSync(process.env['END_AT_STEP_FILE']!, 'utf8').split('\n');
let left = Number(times);

if (step)
  subscribe('hilltop.delivery.step', (passed) => {
    if (passed === step && --left <= 0) process.kill(process.pid, 'SIGKILL');
  });
