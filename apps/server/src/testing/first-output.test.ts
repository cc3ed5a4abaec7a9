import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { it } from 'node:test';
import { firstOutput } from './first-output.ts';

const run = (script: string) => spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });

it('waits for the first output of a process', async () => {
  const child = run('console.log(1); setInterval(() => {}, 1000)');
  await firstOutput(child);
  assert.equal(child.exitCode, null);
  child.kill();
});

it('rejects when a process ends without output', async () => {
  await assert.rejects(
    firstOutput(run('process.exit(3)'), () => 'No database.'),
    /ended with 3 before its first output\. No database\./,
  );
});
