import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../testing/closing-process.ts', import.meta.url));

it('the embedded database closes while nothing else holds the event loop', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hilltop-close-'));
  try {
    const path = join(folder, 'some.db');
    const args = ['--disable-warning=ExperimentalWarning', program, path];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: 'closed\n', stderr: '' });
    const read = new DatabaseSync(path, { readOnly: true });
    assert.deepEqual({ ...read.prepare('select count(*) as things from thing').get() }, { things: 81 });
    read.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});
