import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { untrackedPromises } from './node-files.ts';

describe('a test process that does not follow promises', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'hilltop-untracked-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function statusOf(body: string): number | null {
    const file = join(folder, 'one.test.mjs');
    writeFileSync(file, `import { it } from 'node:test';\nit('works', async () => {\n${body}\n});\n`);
    // Without the variable by which node:test recognizes the processes that it has started.
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    return spawnSync(process.execPath, ['--import', untrackedPromises, file], { env, stdio: 'ignore' }).status;
  }

  it('succeeds when its tests do', () => {
    assert.equal(statusOf('await Promise.resolve();'), 0);
  });

  for (const [what, body] of Object.entries({
    'a promise that nobody waits for is rejected': 'void Promise.resolve().then(() => Promise.reject(new Error()));',
    'a timer throws': 'setTimeout(() => { throw new Error(); }); await new Promise((go) => setTimeout(go, 20));',
    'a callback after a promise throws':
      'void Promise.resolve().then(() => queueMicrotask(() => { throw new Error(); }));',
  }))
    it(`fails when ${what}`, () => {
      assert.equal(statusOf(body), 1);
    });
});
