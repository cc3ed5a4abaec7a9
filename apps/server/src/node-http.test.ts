import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';

/** What a process has loaded of Node after it did so. */
async function loadedBy(act: string): Promise<string[]> {
  const tell = 'console.log(JSON.stringify(process.moduleLoadList.filter((name) => name.includes("deps/undici"))))';
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', `${act}; ${tell}`];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as string[];
}

it("the server does without Node's own client of the web, which an import of node:http loads", async () => {
  assert.equal((await loadedBy(`await import('node:http')`)).length, 1);
  assert.deepEqual(await loadedBy(`await import(${JSON.stringify(import.meta.resolve('./compose.ts'))})`), []);
  assert.deepEqual(await loadedBy(`await import(${JSON.stringify(import.meta.resolve('./mqtt/embedded.ts'))})`), []);
});
